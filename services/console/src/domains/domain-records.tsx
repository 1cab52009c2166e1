import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, back, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge, Dot } from '../ui/badge';
import { Button } from '../ui/button';
import { Value } from '../ui/copy';
import { Curl } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { hostInZone, purposeOf } from './dns-records.rules';
import { DnsChanges } from './dns-changes';
import { SetupLink } from './setup-link';

type Domain = Schemas['Domain'];
type DnsRecord = Schemas['DnsRecord'];
type RecordProblem = ConsoleSchemas['RecordProblems']['data'][number];

/** While the page of a domain with missing records is open, its DNS is looked at again. */
const CHECK_MS = 20_000;

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

/** The result of the last check. It is read again with the domain. */
function useProblems({ domain, last_dns_check_at: checkedAt }: Domain): readonly RecordProblem[] {
  const account = useAccount();
  const { data } = useQuery({
    queryKey: ['record-problems', account.account_id, domain, checkedAt],
    queryFn: () =>
      read(back.GET('/console/api/domains/{domain}/record-problems', { params: { path: { domain } } })),
    enabled: checkedAt !== null,
    placeholderData: (before) => before,
  });
  return data?.data ?? [];
}

/** The records of a domain, each as it shall be, and as resolvers see it. */
export function DomainRecords({ domain }: { domain: Domain }) {
  const check = useCheck(domain);
  const problems = useProblems(domain);
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
            problem={problems.find(({ type, host }) => type === record.type && host === record.host)}
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

function Record({
  record,
  problem,
  domain,
}: {
  record: DnsRecord;
  /** undefined: it is right, or was not looked up yet */
  problem: RecordProblem | undefined;
  domain: string;
}) {
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
        {problem && (
          <>
            <dt className="pt-1 text-ink-3">{t.domains.found}</dt>
            <dd className="pt-1 break-words text-ink-2">{problem.found}</dd>
          </>
        )}
      </dl>
      {problem && <p className="mt-2 text-sm break-words">{problem.advice}</p>}
    </li>
  );
}
