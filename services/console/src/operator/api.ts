import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { useParams, useSearch, type LinkProps } from '@tanstack/react-router';
import { wayBack } from '../app/return-path.rules';
import { Problem } from '../api/client';

interface OperatorSession {
  operator: string;
  idle_minutes: number;
}

export interface PageOf<T> {
  data: T[];
  pagination: { has_more: boolean; next_cursor?: string | null };
}

/**
 * One request to the operator interface (docs/operations.md), with the session of this browser.
 * @param path below `/operator/`
 * @throws Problem
 */
export async function call<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`/operator/${path}`, {
    method,
    credentials: 'same-origin',
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  }).catch(() => undefined);
  if (!response) throw new Problem(0, 'the server did not answer', null);
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  const { message } = (answer ?? {}) as { message?: unknown };
  throw new Problem(response.status, typeof message === 'string' ? message : response.statusText, null);
}

export const get = <T>(path: string): Promise<T> => call<T>('GET', path);

/** With the parameters that are given. */
export function pathOf(path: string, query: Record<string, string | undefined>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

const SESSION_KEY = ['operator'] as const;

/** A session that has ended meanwhile ends the page that is open, too. */
const queryCache = new QueryCache({
  onError: (error, { queryKey }) => {
    if (!(error instanceof Problem) || error.status !== 401 || queryKey[0] === SESSION_KEY[0]) return;
    const search = new URLSearchParams(wayBack(location.pathname + location.search)).toString();
    location.assign(`/console/sign-in${search && `?${search}`}`);
  },
});

export const queries = new QueryClient({
  queryCache,
  defaultOptions: { queries: { staleTime: 5_000, retry: false } },
});

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: () => get<OperatorSession>('session'),
  staleTime: 60_000,
});

/** The ways in that this process has. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: () => get<{ token: boolean; oidc: { name: string } | null }>('sign-in-ways'),
  staleTime: 60_000,
});

function begin(session: OperatorSession): void {
  queries.clear();
  queries.setQueryData(sessionQuery.queryKey, session);
}

/** Exchanges a token for a session: the token stays in no place of the browser. */
export async function signIn(token: string): Promise<void> {
  begin(await call<OperatorSession>('POST', 'session', { token }));
}

/** @returns the page of the provider */
export const leaveToProvider = (page: string): Promise<{ url: string }> =>
  call('POST', 'oidc-sign-ins/options', wayBack(page));

/**
 * @param response the query with which the browser came back from the provider
 * @returns the page that was asked for
 */
export async function signInByOidc(response: string): Promise<string | null> {
  const { to: page, ...session } = await call<OperatorSession & { to: string | null }>(
    'POST',
    'oidc-sign-ins',
    { response },
  );
  begin(session);
  return page;
}

export async function signOut(): Promise<void> {
  await call('DELETE', 'session');
  queries.clear();
}

/** The types of links are those of the routes of members. */
export const to = (path: string): LinkProps => ({ to: path }) as unknown as LinkProps;

export const useParam = (name: string): string =>
  (useParams({ strict: false }) as Record<string, string | undefined>)[name] ?? '';

export const useSearchText = (name: string): string | undefined =>
  (useSearch({ strict: false }) as Record<string, string | undefined>)[name];
