import { queryOptions } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { back, Problem, read } from '../api/client';
import { Button } from '../ui/button';
import { t } from '../words/words';
import { wayBack } from './return-path.rules';

/** The ways in that this installation has. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: () => read(back.GET('/console/api/sign-in-ways')),
  staleTime: 60_000,
});

/** Leads to the provider, which leads back to `/sign-in/oidc`. */
export function OidcButton({
  name,
  page,
  fail,
  look = 'plain',
}: {
  name: string;
  page: string;
  fail: (text: string) => void;
  look?: 'plain' | 'primary';
}) {
  const [isBusy, setBusy] = useState(false);
  // a reader who goes back finds the page as it was left
  useEffect(() => {
    const shown = () => setBusy(false);
    addEventListener('pageshow', shown);
    return () => removeEventListener('pageshow', shown);
  }, []);
  const leave = async () => {
    setBusy(true);
    try {
      const { url } = await read(back.POST('/console/api/oidc-sign-ins/options', { body: wayBack(page) }));
      location.assign(url);
    } catch (error) {
      setBusy(false);
      fail((error as Problem).message);
    }
  };
  return (
    <Button look={look} busy={isBusy} onClick={() => void leave()}>
      {t.signIn.oidc(name)}
    </Button>
  );
}
