import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSegments } from '../audience/segments';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { Check } from '../ui/field';
import { t } from '../words/words';

/** The segments of a campaign, in addition to its lists. Each choice is saved at once. */
export function CampaignSegments({ campaignId }: { campaignId: string }) {
  const { account_id } = useAccount();
  const params = { path: { campaign_id: campaignId } };
  const segments = useSegments();
  const [wanted, setWanted] = useState<string[]>();
  const audience = useQuery({
    queryKey: ['campaign-audience', account_id, campaignId],
    queryFn: () => read(back.GET('/console/api/campaigns/{campaign_id}/audience', { params })),
  });
  const save = useAction(
    (segment_ids: string[]) =>
      read(back.PUT('/console/api/campaigns/{campaign_id}/audience', { params, body: { segment_ids } })),
    { changes: [['campaign-audience'], ['campaigns']] },
  );
  if (!audience.data || !segments.data || segments.data.data.length === 0) return null;
  const chosen = wanted ?? audience.data.segment_ids;
  const choose = (ids: string[]) => {
    setWanted(ids);
    save.mutate(ids, { onError: () => setWanted(undefined) });
  };
  return (
    <fieldset disabled={save.isPending}>
      <legend className="mb-1 text-sm font-medium">{t.segments.tab}</legend>
      <p className="text-xs text-ink-3">{t.segments.inAddition}</p>
      <div className="max-h-40 overflow-y-auto">
        {segments.data.data.map(({ id, name, contacts }) => (
          <Check
            key={id}
            label={name}
            hint={contacts === null ? t.segments.notCounted : t.lists.contactCount(contacts)}
            checked={chosen.includes(id)}
            onChange={(event) =>
              choose(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
