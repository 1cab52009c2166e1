import { useState, type FormEvent } from 'react';
import { api, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Section } from '../ui/page';
import { Curl } from '../ui/states';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { useOpen, type SubAccount } from './sub-accounts';

/** The API shows domains to the account that has them; its parent ends their pauses (spec 1-platform §10.3). */
export function SubAccountDomains({ sub }: { sub: SubAccount }) {
  const open = useOpen(sub.id);
  const mayUnpause = useCan('sub-accounts:suspend');
  return (
    <>
      <Section
        title={t.nav.domains}
        lead={t.subAccounts.domainCount(sub.domain_count)}
        actions={
          open && (
            <Button look="primary" onClick={() => open('/domains')}>
              {t.subAccounts.openDomains}
            </Button>
          )
        }
      >
        <div className="panel flex flex-col gap-3 p-5">
          <p className="text-ink-2">{open ? t.subAccounts.domainsText : t.subAccounts.domainsOfMembers}</p>
          <Curl method="POST" accountId={sub.id} path="/domains" body={{ domain: 'mail.example.com' }} />
        </div>
      </Section>
      {mayUnpause && <Unpause sub={sub} />}
    </>
  );
}

function Unpause({ sub }: { sub: SubAccount }) {
  const account = useAccount();
  const [domain, setDomain] = useState('');
  const name = domain.trim();
  const unpause = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/domains/{domain}/unpause', {
          params: { path: { ...account, sub_account_id: sub.id, domain: name } },
        }),
      ),
    {
      quiet: true,
      done: (changed) => {
        setDomain('');
        notify(t.domains.resumed(changed.domain));
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    unpause.mutate(undefined);
  };
  return (
    <Section title={t.subAccounts.unpause} lead={t.subAccounts.unpauseText}>
      <form className="panel flex flex-col gap-4 p-5" onSubmit={submit}>
        <Input
          label={t.domains.domain}
          placeholder="mail.example.com"
          required
          value={domain}
          onChange={(event) => setDomain(event.target.value)}
          error={unpause.error?.message}
        />
        <div>
          <Button type="submit" icon="play" busy={unpause.isPending} disabled={name === ''}>
            {t.subAccounts.unpause}
          </Button>
        </div>
        <Curl
          method="POST"
          path={`/sub-accounts/${sub.id}/domains/${name === '' ? 'mail.example.com' : name}/unpause`}
        />
      </form>
    </Section>
  );
}
