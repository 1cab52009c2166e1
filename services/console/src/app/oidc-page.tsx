import { Navigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { back, Problem, read, type ConsoleSchemas } from '../api/client';
import { tellConfirmed } from '../api/confirmation';
import { begin } from '../api/session';
import { Button } from '../ui/button';
import { t } from '../words/words';
import { returnPath } from './return-path.rules';
import { SignInFrame, WaysIn } from './sign-in';

/** The window in which a session is confirmed begins here, too. */
const CONFIRM = '?confirm=1';

/** The purpose of a sign-in is the first part of its state. */
const isConfirmation = (query: string): boolean =>
  query === CONFIRM || new URLSearchParams(query).get('state')?.startsWith('confirm.') === true;

/** Where the provider sends the browser back. */
export default function OidcPage() {
  const [query] = useState(() => location.search);
  // the response is used up: it leaves the address, and the history
  useEffect(() => {
    if (query !== CONFIRM) history.replaceState(history.state, '', location.pathname);
  }, [query]);
  if (query === '') return <Navigate to="/sign-in" replace />;
  return (
    <SignInFrame>{isConfirmation(query) ? <Confirm query={query} /> : <Enter query={query} />}</SignInFrame>
  );
}

type SignedIn = ConsoleSchemas['OidcSignIn'];

// A response works once, and React runs an effect twice while it is developed.
const sent = new Map<string, Promise<unknown>>();
function once<T>(query: string, run: () => Promise<T>): Promise<T> {
  const running = (sent.get(query) as Promise<T> | undefined) ?? run();
  sent.set(query, running);
  return running;
}

function Enter({ query }: { query: string }) {
  const { history: pages } = useRouter();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const response = query.slice(1);
    once<SignedIn>(query, () => read(back.POST('/console/api/oidc-sign-ins', { body: { response } })))
      .then(({ session, to }) => {
        begin(session);
        pages.replace(returnPath(to ?? undefined, location.origin));
      })
      .catch((problem: Problem) => setError(problem.message));
  }, [pages, query]);
  if (error === undefined) return <p role="status">{t.signIn.entering}</p>;
  return (
    <div className="flex flex-col gap-4">
      <p role="alert" className="break-words text-bad">
        {error}
      </p>
      <WaysIn />
    </div>
  );
}

function Confirm({ query }: { query: string }) {
  const [error, setError] = useState<string>();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    const run = async () => {
      if (query === CONFIRM) {
        const { url } = await read(back.POST('/console/api/session/confirmation/oidc/options'));
        location.replace(url);
        return;
      }
      const response = query.slice(1);
      await read(back.POST('/console/api/session/confirmation/oidc', { body: { response } }));
      tellConfirmed();
      setDone(true);
      window.close();
    };
    once(query, run).catch((problem: Problem) => setError(problem.message));
  }, [query]);
  if (isDone) return <p role="status">{t.confirm.done}</p>;
  if (error === undefined) return <p role="status">{t.signIn.entering}</p>;
  return (
    <div className="flex flex-col items-start gap-4">
      <p role="alert" className="break-words text-bad">
        {error}
      </p>
      <Button onClick={() => location.replace(location.pathname + CONFIRM)}>{t.confirm.again}</Button>
    </div>
  );
}
