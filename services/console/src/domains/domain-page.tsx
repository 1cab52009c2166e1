import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button, LinkButton } from '../ui/button';
import { Page, Section, Tabs } from '../ui/page';
import { Loaded, Skeleton } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { DomainRecords } from './domain-records';
import { DomainState } from './domain-state';
import { PauseSwitch } from './pause-switch';

// Each is loaded when its tab is opened.
const DomainReports = lazy(() => import('./domain-reports'));
const DomainDoctor = lazy(() => import('./domain-doctor'));
const HandOver = lazy(() => import('./hand-over'));
const DomainSettings = lazy(() => import('./domain-settings'));
const DnsHostTokens = lazy(() => import('./dns-host-tokens'));

type Domain = Schemas['Domain'];

export function DomainPage() {
  const account = useAccount();
  const { domain = '' } = useParams({ strict: false });
  const path = { ...account, domain };
  const key = ['domain', account.account_id, domain];
  const query = useQuery({
    queryKey: key,
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/domains/{domain}', { params: { path } })),
  });
  return (
    <Page
      title={domain}
      back={{ to: '/domains', label: t.domains.title }}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {domain}
          {query.data && <DomainState domain={query.data} />}
        </span>
      }
      actions={query.data && <Actions domain={query.data} />}
    >
      <Loaded query={query}>{(loaded) => <Parts domain={loaded} />}</Loaded>
    </Page>
  );
}

function Parts({ domain }: { domain: Domain }) {
  const { tab = 'dns' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choose = (next: string) =>
    void navigate({
      to: '/domains/$domain',
      params: { domain: domain.domain },
      search: { tab: next },
      replace: true,
    });
  return (
    <>
      {domain.paused && (
        <div role="alert" className="mb-4 rounded-lg bg-bad-soft px-4 py-3 text-bad">
          <p>
            {t.domains.pausedText} {t.domains.pausedBy[domain.pause_reason ?? ''] ?? domain.pause_reason}
            {domain.paused_at && (
              <>
                {' '}
                (<Time at={domain.paused_at} />)
              </>
            )}
          </p>
          <p className="mt-1 text-sm">{t.domains.pauseMeaning}</p>
          {domain.pause_reason === 'owner' && (
            <div className="mt-3">
              <PauseSwitch domain={domain} />
            </div>
          )}
        </div>
      )}
      <Tabs
        label={domain.domain}
        current={tab}
        choose={choose}
        tabs={[
          { id: 'dns', label: t.domains.records },
          { id: 'reports', label: t.reports.tab },
          { id: 'doctor', label: t.doctor.title },
          { id: 'hand-over', label: t.domains.handOver },
          { id: 'settings', label: t.domains.settings },
        ]}
      />
      {tab === 'dns' && <DomainRecords domain={domain} />}
      <Suspense fallback={<Skeleton />}>
        {tab === 'reports' && <DomainReports domain={domain.domain} />}
        {tab === 'doctor' && <DomainDoctor domain={domain.domain} />}
        {tab === 'hand-over' && <HandOver domain={domain} />}
        {tab === 'settings' && (
          <div className="flex flex-col gap-8">
            <DomainSettings domain={domain} />
            <DnsHostTokens domain={domain.domain} />
            {!domain.paused && (
              <Section title={t.domains.sending} lead={t.domains.pauseMeaning}>
                <PauseSwitch domain={domain} />
              </Section>
            )}
          </div>
        )}
      </Suspense>
    </>
  );
}

function Actions({ domain }: { domain: Domain }) {
  const account = useAccount();
  const navigate = useNavigate();
  const mayDelete = useCan('domains:delete:all');
  const remove = useAction(
    () =>
      read(
        api.DELETE('/v2/accounts/{account_id}/domains/{domain}', {
          params: { path: { ...account, domain: domain.domain } },
        }),
      ),
    { changes: [['domains']], done: () => notify(t.domains.deleted(domain.domain)) },
  );
  const start = () => {
    void navigate({ to: '/domains' });
    runUnlessUndone(
      t.domains.deleting(domain.domain),
      () => remove.mutate(undefined),
      () => void navigate({ to: '/domains/$domain', params: { domain: domain.domain } }),
    );
  };
  return (
    <>
      <LinkButton to="/messages" search={{ address: `@${domain.domain}` }} icon="messages">
        {t.messages.title}
      </LinkButton>
      {mayDelete && (
        <Button look="danger" icon="trash" onClick={start}>
          {t.delete}
        </Button>
      )}
    </>
  );
}
