import { QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { callConsole, Problem } from './client';

export interface Session {
  member: { user_id: string; email: string; name: string };
  account: { id: string; name: string };
  accounts: { id: string; name: string; roles: string[] }[];
  roles: string[];
  scopes: string[];
  expires_at: string;
}

const RETRIES = 2;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // an API error stays one; a server that is away or busy may come back
      retry: (count, error) =>
        count < RETRIES &&
        error instanceof Problem &&
        (error.status === 0 || error.status === 429 || error.status >= 500),
    },
  },
});

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => callConsole<Session>('/session'),
  staleTime: 5 * 60_000,
  retry: false,
});

export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** The path parameters of every operation below an account. */
export function useAccount(): { account_id: string } {
  return { account_id: useSession().account.id };
}

/** Whether the member's role has a scope. Without it the button is not there; the server decides again. */
export function useCan(scope: string): boolean {
  const { scopes } = useSession();
  return scopes.includes('*') || scopes.includes(scope);
}

/** Everything that was read belongs to the account before. */
export async function switchAccount(id: string): Promise<void> {
  const session = await callConsole<Session>('/session/account', 'POST', { account_id: id });
  queries.clear();
  queries.setQueryData(sessionQuery.queryKey, session);
}

export async function signOut(): Promise<void> {
  await callConsole('/session', 'DELETE');
  queries.clear();
}
