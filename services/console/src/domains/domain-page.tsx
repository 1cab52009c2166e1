import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge, Dot } from '../ui/badge';
import { Button, LinkButton } from '../ui/button';
import { CodeBlock, Value } from '../ui/copy';
import { Icon } from '../ui/icons';
import { Page, Section, Tabs } from '../ui/page';
import { Curl, Loaded, Skeleton } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { hostInZone, purposeOf, textForAdmin, zoneFileOf } from './dns-records.rules';
import { DnsChanges } from './dns-changes';
import { DomainSettings } from './domain-settings';
import { DomainState } from './domains-page';
import { PauseSwitch } from './pause-switch';
import { SetupLink } from './setup-link';

const DomainReports = lazy(() => import('./domain-reports'));
const DomainDoctor = lazy(() => import('./domain-doctor'));
const DnsHostTokens = lazy(() => import('./dns-host-tokens'));

type Domain = Schemas['Domain'];
type DnsRecord = Schemas['DnsRecord'];

/** While the page of a domain with missing records is open, its DNS is looked at again. */
const CHECK_MS = 20_000;

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
      {tab === 'dns' && <Records domain={domain} />}
      {tab === 'reports' && (
        <Suspense fallback={<Skeleton />}>
          <DomainReports domain={domain.domain} />
        </Suspense>
      )}
      {tab === 'doctor' && (
        <Suspense fallback={<Skeleton />}>
          <DomainDoctor domain={domain.domain} />
        </Suspense>
      )}
      {tab === 'hand-over' && <HandOver domain={domain} />}
      {tab === 'settings' && (
        <div className="flex flex-col gap-8">
          <DomainSettings domain={domain} />
          <Suspense fallback={<Skeleton />}>
            <DnsHostTokens domain={domain.domain} />
          </Suspense>
          {!domain.paused && (
            <Section title={t.domains.sending} lead={t.domains.pauseMeaning}>
              <PauseSwitch domain={domain} />
            </Section>
          )}
        </div>
      )}
    </>
  );
}

function useCheck({ domain }: Domain) {
  const account = useAccount();
  const client = useQueryClient();
  return useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/domains/{domain}/check-dns', {
          params: { path: { ...account, domain } },
        }),
      ),
    {
      changes: [['domains']],
      done: (checked) => client.setQueryData(['domain', account.account_id, domain], checked),
    },
  );
}

function Records({ domain }: { domain: Domain }) {
  const check = useCheck(domain);
  const { mutate } = check;
  const mayCheck = useCan('domains:write');
  const isComplete = domain.dns_records.every(({ required, propagated }) => propagated || !required);
  useEffect(() => {
    if (isComplete || !mayCheck) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') mutate(undefined);
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, [isComplete, mayCheck, mutate]);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-2" role="status">
          {isComplete ? t.domains.allSeen : t.domains.publish}{' '}
          <span className="text-ink-3">
            {domain.last_dns_check_at && (
              <>
                {t.domains.checked} <Time at={domain.last_dns_check_at} ago />
              </>
            )}
          </span>
        </p>
        {mayCheck && (
          <Button icon="refresh" busy={check.isPending} onClick={() => mutate(undefined)}>
            {t.domains.checkNow}
          </Button>
        )}
      </div>
      <DnsChanges domain={domain} />
      <SetupLink domain={domain} />
      <ul className="flex flex-col gap-3">
        {domain.dns_records.map((record) => (
          <Record
            key={`${record.type} ${record.host} ${record.content}`}
            record={record}
            domain={domain.domain}
          />
        ))}
      </ul>
      <div className="mt-4">
        <Curl method="POST" path={`/domains/${domain.domain}/check-dns`} />
      </div>
    </>
  );
}

function Record({ record, domain }: { record: DnsRecord; domain: string }) {
  const { type, host, content, required, propagated, label } = record;
  const tone = propagated ? 'good' : required ? 'warn' : 'plain';
  return (
    <li className="panel p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="flex items-center gap-2 font-medium">
          <Dot tone={tone} />
          {label}
          {!required && <Badge>{t.domains.optional}</Badge>}
        </p>
        <Badge tone={tone}>{propagated ? t.domains.seen : t.domains.notSeen}</Badge>
      </div>
      <p className="mt-1 text-sm text-ink-2">{purposeOf(record)}</p>
      <dl className="mt-3 grid grid-cols-[4.500rem_minmax(0,1fr)] items-start gap-x-3 gap-y-1 text-sm">
        <dt className="pt-1 text-ink-3">{t.domains.type}</dt>
        <dd className="pt-1 font-mono text-xs">{type}</dd>
        <dt className="pt-1 text-ink-3">{t.domains.host}</dt>
        <dd>
          <Value text={host} label={t.domains.host} />
          {host !== domain && hostInZone(host, domain) !== host && (
            <span className="block text-xs text-ink-3">
              {t.domains.inZone(hostInZone(host, domain), domain)}
            </span>
          )}
        </dd>
        <dt className="pt-1 text-ink-3">{t.domains.value}</dt>
        <dd>
          <Value text={content} label={t.domains.value} />
        </dd>
      </dl>
    </li>
  );
}

function HandOver({ domain }: { domain: Domain }) {
  const text = textForAdmin(domain);
  const zone = zoneFileOf(domain);
  const mail = `mailto:?subject=${encodeURIComponent(t.domains.adminSubject(domain.domain))}&body=${encodeURIComponent(text)}`;
  return (
    <div className="flex flex-col gap-8">
      <Section
        title={t.domains.forAdmin}
        lead={t.domains.forAdminText}
        actions={
          <a
            href={mail}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-edge/60 bg-surface px-3 text-sm font-medium hover:bg-sunken"
          >
            <Icon name="messages" />
            {t.domains.openMail}
          </a>
        }
      >
        <CodeBlock text={text} label={t.domains.forAdmin} />
      </Section>
      <Section title={t.domains.zoneFile} lead={t.domains.zoneFileText}>
        <CodeBlock text={zone} label={t.domains.zoneFile} />
      </Section>
    </div>
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
      <LinkButton to="/messages" search={{}} icon="messages">
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
