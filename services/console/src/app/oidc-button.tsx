import { useEffect, useState } from 'react';
import type { Problem } from '../api/client';
import { Button } from '../ui/button';
import { t } from '../words/words';

/**
 * Leads to the provider, which leads back to `/sign-in/oidc`.
 * @param start begins a sign-in, and answers where the browser goes
 */
export function OidcButton({
  name,
  start,
  fail,
  look = 'plain',
}: {
  name: string;
  start: () => Promise<{ url: string }>;
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
      location.assign((await start()).url);
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
