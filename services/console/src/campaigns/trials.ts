import { useQuery } from '@tanstack/react-query';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';

export type CampaignTrial = ConsoleSchemas['CampaignTrial'];
export type Trial = NonNullable<CampaignTrial['trial']>;

/** The variants of a campaign and their results. @param refreshMs left out: read once */
export function useTrial(campaignId: string, refreshMs?: number) {
  const { account_id } = useAccount();
  return useQuery({
    queryKey: ['campaign-trial', account_id, campaignId],
    refetchInterval: refreshMs ?? false,
    queryFn: () =>
      read(
        back.GET('/console/api/campaigns/{campaign_id}/trial', {
          params: { path: { campaign_id: campaignId } },
        }),
      ),
  });
}
