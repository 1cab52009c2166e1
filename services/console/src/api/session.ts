import { QueryCache, QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { wayBack } from '../app/return-path.rules';
import { back, Problem, read, type ConsoleSchemas } from './client';

export type Session = ConsoleSchemas['Session'];

const RETRIES = 2;
const SESSION_KEY = ['session'] as const;

/** A session that has ended meanwhile ends the page that is open, too: its next read shows the way to sign in. */
const queryCache = new QueryCache({
  onError: (error, { queryKey }) => {
    if (error instanceof Problem && error.status === 401 && queryKey[0] !== SESSION_KEY[0])
      void checkSession();
  },
});

export const queries = new QueryClient({
  queryCache,
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
  queryKey: SESSION_KEY,
  queryFn: () => read(back.GET('/console/api/session')),
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
  return can(useSession(), scope);
}

export const can = ({ scopes }: Session, scope: string): boolean =>
  scopes.includes('*') || scopes.includes(scope);

/** Leads to the sign-in when the session has ended. A suspended account refuses with 401, too: its session is still there. */
export async function checkSession(): Promise<void> {
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 401) leave();
  });
}

/** To the sign-in, and from there back to this page. */
function leave(): void {
  const search = new URLSearchParams(wayBack(location.pathname + location.search)).toString();
  location.assign(`/console/sign-in${search && `?${search}`}`);
}

/** After a sign-in: nothing that was read before belongs to this member. The session stays, so that its readers see the new one. */
export function begin(session: Session): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  queries.setQueryData(sessionQuery.queryKey, session);
}

/** Everything that was read belongs to the account before. */
export async function switchAccount(id: string): Promise<void> {
  begin(await read(back.POST('/console/api/session/account', { body: { account_id: id } })));
}

export async function signOut(): Promise<void> {
  await read(back.DELETE('/console/api/session'));
  queries.clear();
}
