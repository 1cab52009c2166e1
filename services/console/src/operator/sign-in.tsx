import { useQuery } from '@tanstack/react-query';
import { Navigate, useRouter } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { Problem } from '../api/client';
import { OidcButton } from '../app/oidc-button';
import { OidcEntrance, useReturned } from '../app/oidc-return';
import { returnPath } from '../app/return-path.rules';
import { SignInFrame } from '../app/sign-in-frame';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { leaveToProvider, signIn, signInByOidc, to, useSearchText, waysQuery } from './api';
import { w } from './words';

export function SignIn() {
  return (
    <SignInFrame title={w.title}>
      <WaysIn />
    </SignInFrame>
  );
}

/** Where the provider sends the browser back. */
export function OidcReturn() {
  const query = useReturned();
  if (query === '') return <Navigate {...to('/sign-in')} replace />;
  return (
    <SignInFrame title={w.title}>
      <OidcEntrance query={query} enter={signInByOidc} otherwise={<WaysIn />} />
    </SignInFrame>
  );
}

/** The provider where there is one; tokens stay, as the provider may be what is down. */
function WaysIn() {
  const page = returnPath(useSearchText('to'), location.origin);
  const { data, isPending } = useQuery(waysQuery);
  const [error, setError] = useState<string>();
  // without an answer there are still tokens
  if (isPending) return null;
  if (!data?.oidc) return <TokenForm page={page} />;
  return (
    <div className="flex flex-col gap-5">
      <OidcButton name={data.oidc.name} start={() => leaveToProvider(page)} fail={setError} look="primary" />
      {error !== undefined && (
        <p role="alert" className="break-words text-bad">
          {error}
        </p>
      )}
      {data.token && (
        <details>
          <summary className="mb-3 cursor-pointer text-ink-2">{w.signIn.byToken}</summary>
          <TokenForm page={page} />
        </details>
      )}
    </div>
  );
}

function TokenForm({ page }: { page: string }) {
  const { history } = useRouter();
  const [token, setToken] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    signIn(token.trim())
      .then(() => history.replace(page))
      .catch((problem: Problem) => setError(problem.message))
      .finally(() => setBusy(false));
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Input
        label={w.signIn.token}
        type="password"
        autoComplete="current-password"
        autoFocus
        required
        value={token}
        onChange={(event) => setToken(event.target.value)}
        error={error}
        hint={w.signIn.hint}
      />
      <Button type="submit" look="primary" busy={isBusy}>
        {w.signIn.enter}
      </Button>
    </form>
  );
}
