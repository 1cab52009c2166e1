import { useQuery } from '@tanstack/react-query';
import { api, back, read } from '../api/client';
import { useAccount } from '../api/session';
import { periodOf } from './deliverability.rules';

const FRESH_MS = 60_000;
/** One request per second for an account: a second one waits for its turn, and is not refused. */
let turn: Promise<unknown> = Promise.resolve();
const SPACE_MS = 1_050;

function inTurn<T>(run: () => Promise<T>): Promise<T> {
  const mine = turn.then(run, run);
  turn = mine.catch(() => undefined).then(() => new Promise((resolve) => setTimeout(resolve, SPACE_MS)));
  return mine;
}

export interface Narrowed {
  readonly days: number;
  readonly domain?: string | undefined;
  /** of messages; several are separated by commas */
  readonly tag?: string | undefined;
  /** false: not yet, another figure comes first */
  readonly enabled?: boolean;
}

function useFigures<T>(
  kind: string,
  { days, domain, tag, enabled = true }: Narrowed,
  run: (params: {
    path: { account_id: string };
    query: { from_time: string; group_by: 'hour' | 'day'; sender_domain?: string; tags?: string };
  }) => Promise<T>,
) {
  const account = useAccount();
  return useQuery({
    queryKey: ['statistics', account.account_id, kind, days, domain ?? '', tag ?? ''],
    staleTime: FRESH_MS,
    enabled,
    queryFn: () =>
      inTurn(() =>
        run({
          path: account,
          query: {
            ...periodOf(days, Date.now()),
            ...(domain === undefined ? {} : { sender_domain: domain }),
            ...(tag === undefined ? {} : { tags: tag }),
          },
        }),
      ),
  });
}

const PATH = '/v2/accounts/{account_id}/statistics/transactional';

export const useDeliverability = (of: Narrowed) =>
  useFigures('deliverability', of, (params) => read(api.GET(`${PATH}/deliverability`, { params })));

export const useBounces = (of: Narrowed) =>
  useFigures('bounce', of, (params) => read(api.GET(`${PATH}/bounce`, { params })));

export const useDeliveryTimes = (of: Narrowed) =>
  useFigures('delivery-time', of, (params) => read(api.GET(`${PATH}/delivery-time`, { params })));

/** Without a limit per second: their counters are few. */
function useGroups<T>(
  kind: string,
  { days, domain }: Narrowed,
  run: (params: { query: { from_time: string; sender_domain?: string } }) => Promise<T>,
) {
  const account = useAccount();
  return useQuery({
    queryKey: ['statistics', account.account_id, kind, days, domain ?? ''],
    staleTime: FRESH_MS,
    queryFn: () => {
      const { from_time } = periodOf(days, Date.now());
      return run({ query: { from_time, ...(domain === undefined ? {} : { sender_domain: domain }) } });
    },
  });
}

const GROUPS = '/console/api/statistics';

export const useTemplateFigures = (of: Narrowed) =>
  useGroups('templates', of, (params) => read(back.GET(`${GROUPS}/templates`, { params })));

export const useProviderFigures = (of: Narrowed) =>
  useGroups('providers', of, (params) => read(back.GET(`${GROUPS}/providers`, { params })));

export const useCampaignFigures = (of: Narrowed) =>
  useGroups('campaigns', of, (params) => read(back.GET(`${GROUPS}/campaigns`, { params })));
