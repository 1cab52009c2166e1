import { useQuery } from '@tanstack/react-query';
import { api, back, read, type ConsoleSchemas } from '../api/client';
import { useAccount, useCan } from '../api/session';

/** A menu has no more; the list of templates leads to each of them. */
const MAX_NAMES = 100;

/** The newest campaign templates, to choose one of them. */
export function useTemplateNames(): (readonly [id: string, name: string])[] {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: ['campaign-templates', account.account_id, 'names'],
    enabled: useCan('templates:read'),
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/campaign-templates', {
          params: { path: account, query: { limit: MAX_NAMES } },
        }),
      ),
  });
  return data?.data.map(({ id, name }) => [id, name] as const) ?? [];
}

export const blocksOfTemplate = (id: string): Promise<ConsoleSchemas['DesignBlocks']> =>
  read(
    back.GET('/console/api/campaign-templates/{campaign_template_id}/blocks', {
      params: { path: { campaign_template_id: id } },
    }),
  );
