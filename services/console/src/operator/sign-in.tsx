import { useRouter } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { Problem } from '../api/client';
import { returnPath } from '../app/return-path.rules';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { signIn, useSearchText } from './api';
import { w } from './words';

export function SignIn() {
  const { history } = useRouter();
  const page = returnPath(useSearchText('to'), location.origin);
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
    <div className="flex min-h-dvh flex-col">
      <div className="airmail h-[3px]" aria-hidden="true" />
      <main className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center px-4 pb-24">
        <div className="mb-6 flex items-center gap-3">
          <img src="/console/mark.svg" alt="" width="36" height="36" />
          <h1 className="text-xl font-semibold tracking-tight">{w.title}</h1>
        </div>
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
      </main>
    </div>
  );
}
