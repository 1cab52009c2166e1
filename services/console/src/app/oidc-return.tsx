import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import type { Problem } from '../api/client';
import { t } from '../words/words';
import { returnPath } from './return-path.rules';

// A response works once, and React runs an effect twice while it is developed.
const sent = new Map<string, Promise<unknown>>();
export function once<T>(query: string, run: () => Promise<T>): Promise<T> {
  const running = (sent.get(query) as Promise<T> | undefined) ?? run();
  sent.set(query, running);
  return running;
}

/** The query with which the provider has sent the browser back: it is used up, and leaves the address, and the history. */
export function useReturned(keep?: string): string {
  const [query] = useState(() => location.search);
  useEffect(() => {
    if (query !== keep) history.replaceState(history.state, '', location.pathname);
  }, [query, keep]);
  return query;
}

/**
 * Begins the session of a sign-in at the provider, and leads to the page that was asked for.
 * @param enter @returns that page
 * @param otherwise the ways in after one that failed
 */
export function OidcEntrance({
  query,
  enter,
  otherwise,
}: {
  query: string;
  enter: (response: string) => Promise<string | null>;
  otherwise: ReactNode;
}) {
  const { history: pages } = useRouter();
  const [error, setError] = useState<string>();
  useEffect(() => {
    once(query, () => enter(query.slice(1)))
      .then((to) => pages.replace(returnPath(to ?? undefined, location.origin)))
      .catch((problem: Problem) => setError(problem.message));
  }, [pages, query, enter]);
  if (error === undefined) return <p role="status">{t.signIn.entering}</p>;
  return (
    <div className="flex flex-col gap-4">
      <p role="alert" className="break-words text-bad">
        {error}
      </p>
      {otherwise}
    </div>
  );
}
