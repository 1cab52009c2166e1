import { Navigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { back, Problem, read } from '../api/client';
import { tellConfirmed } from '../api/confirmation';
import { begin } from '../api/session';
import { Button } from '../ui/button';
import { t } from '../words/words';
import { OidcEntrance, once, useReturned } from './oidc-return';
import { WaysIn } from './sign-in';
import { SignInFrame } from './sign-in-frame';

/** The window in which a session is confirmed begins here, too. */
const CONFIRM = '?confirm=1';

/** The purpose of a sign-in is the first part of its state. */
const isConfirmation = (query: string): boolean =>
  query === CONFIRM || new URLSearchParams(query).get('state')?.startsWith('confirm.') === true;

/** Where the provider sends the browser back. */
export default function OidcPage() {
  const query = useReturned(CONFIRM);
  if (query === '') return <Navigate to="/sign-in" replace />;
  return (
    <SignInFrame title={t.signIn.title}>
      {isConfirmation(query) ? (
        <Confirm query={query} />
      ) : (
        <OidcEntrance query={query} enter={enter} otherwise={<WaysIn />} />
      )}
    </SignInFrame>
  );
}

async function enter(response: string): Promise<string | null> {
  const { session, to } = await read(back.POST('/console/api/oidc-sign-ins', { body: { response } }));
  begin(session);
  return to;
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
