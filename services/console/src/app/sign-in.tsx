import { useQuery } from '@tanstack/react-query';
import { useLocation, useRouter, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { back, Problem, read } from '../api/client';
import { askForPasskey, hasPasskeys } from '../api/passkey-prompt';
import { begin, type Session } from '../api/session';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { t } from '../words/words';
import { waysQuery } from './oidc';
import { OidcButton } from './oidc-button';
import { returnPath, wayBack } from './return-path.rules';
import { SignInFrame } from './sign-in-frame';

/** A mail scanner follows links, and presses no button: the token of the link is used up by a click of the reader alone. */
export function SignIn() {
  const token = useLocation({ select: ({ hash }) => hash });
  return (
    <SignInFrame title={t.signIn.title}>
      {token === '' ? <WaysIn /> : <UseLink key={token} token={token} />}
    </SignInFrame>
  );
}

/** The provider of the installation, where there is one, and links and passkeys, which some addresses may have alone. */
export function WaysIn() {
  const page = usePage();
  const { data, isPending } = useQuery(waysQuery);
  const [error, setError] = useState<string>();
  // without an answer there are still links
  if (isPending) return null;
  if (!data?.oidc) return <AskForLink />;
  const { name, only } = data.oidc;
  return (
    <div className="flex flex-col gap-5">
      <OidcButton
        name={name}
        start={() => read(back.POST('/console/api/oidc-sign-ins/options', { body: wayBack(page) }))}
        fail={setError}
        look={only ? 'primary' : 'plain'}
      />
      {error !== undefined && (
        <p role="alert" className="break-words text-bad">
          {error}
        </p>
      )}
      {only ? (
        <details>
          <summary className="cursor-pointer text-ink-2">{t.signIn.otherWays}</summary>
          <p className="my-3 text-ink-2">{t.signIn.otherWaysText(name)}</p>
          <AskForLink />
        </details>
      ) : (
        <>
          <p className="text-center text-xs text-ink-3">{t.signIn.or}</p>
          <AskForLink />
        </>
      )}
    </div>
  );
}

/** The page that was asked for before the sign-in. */
function usePage(): string {
  const { to } = useSearch({ strict: false });
  return returnPath(typeof to === 'string' ? to : undefined, location.origin);
}

/** Begins the session on that page. */
function useEnter(): (session: Session) => void {
  const { history } = useRouter();
  const page = usePage();
  return (session) => {
    begin(session);
    history.replace(page);
  };
}

function AskForLink() {
  const page = usePage();
  const [email, setEmail] = useState('');
  const [state, setState] = useState<'open' | 'busy' | 'sent'>('open');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setState('busy');
    setError(undefined);
    read(back.POST('/console/api/sign-in-links', { body: { email: email.trim(), ...wayBack(page) } }))
      .then(() => setState('sent'))
      .catch((problem: Problem) => {
        setState('open');
        setError(problem.message);
      });
  };
  if (state === 'sent')
    return (
      <div role="status">
        <p className="font-medium">{t.signIn.sent(email.trim())}</p>
        <p className="mt-2 text-ink-2">{t.signIn.sentMore}</p>
        <Button look="quiet" className="mt-4 -ml-3" onClick={() => setState('open')}>
          {t.signIn.other}
        </Button>
      </div>
    );
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Input
        label={t.signIn.email}
        type="email"
        name="email"
        autoComplete="email"
        autoFocus
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={error}
        hint={t.signIn.hint}
      />
      <Button type="submit" look="primary" busy={state === 'busy'}>
        {t.signIn.send}
      </Button>
      {hasPasskeys() && <UsePasskey fail={setError} />}
    </form>
  );
}

function UsePasskey({ fail }: { fail: (text: string) => void }) {
  const enterWith = useEnter();
  const [isBusy, setBusy] = useState(false);
  const enter = async () => {
    setBusy(true);
    try {
      const options = await read(back.POST('/console/api/passkey-sign-ins/options'));
      const credential = await askForPasskey(options);
      enterWith(await read(back.POST('/console/api/passkey-sign-ins', { body: { credential } })));
    } catch (error) {
      fail(error instanceof Problem ? error.message : t.signIn.noPasskey);
    }
    setBusy(false);
  };
  return (
    <Button busy={isBusy} onClick={() => void enter()}>
      {t.signIn.passkey}
    </Button>
  );
}

function UseLink({ token }: { token: string }) {
  const enterWith = useEnter();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const enter = () => {
    setBusy(true);
    read(back.POST('/console/api/sessions', { body: { token } }))
      .then(enterWith)
      .catch((problem: Problem) => setError(problem.message))
      .finally(() => setBusy(false));
  };
  if (error !== undefined)
    return (
      <div className="flex flex-col gap-4">
        <p role="alert" className="text-bad">
          {error}
        </p>
        <p className="text-ink-2">{t.signIn.usedUp}</p>
        <WaysIn />
      </div>
    );
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">{t.signIn.confirm}</p>
      <Button look="primary" busy={isBusy} onClick={enter} autoFocus>
        {t.signIn.enter}
      </Button>
    </div>
  );
}
