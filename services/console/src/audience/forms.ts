import { useQuery } from '@tanstack/react-query';
import { api, back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';

export type SignUpForm = ConsoleSchemas['SignUpForm'];

/** The sign-up forms of the account, all of them. */
export function useForms() {
  const { account_id } = useAccount();
  return useQuery({
    queryKey: ['sign-up-forms', account_id],
    queryFn: () => read(back.GET('/console/api/sign-up-forms')),
  });
}

/** A menu has no more. */
const MAX_NAMES = 100;

/** The newest lists, to choose one of them. */
export function useListNames(): (readonly [id: string, name: string])[] {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: ['lists', account.account_id, 'names'],
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/lists', {
          params: { path: account, query: { limit: MAX_NAMES } },
        }),
      ),
  });
  return data?.data.map(({ id, name }) => [id, name] as const) ?? [];
}
