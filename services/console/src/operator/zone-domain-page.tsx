import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../ui/badge';
import { Facts, Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { call, get, to, useParam } from './api';
import { accountLink, Act, ActionWithText, At, Code, Table, Wide } from './parts';
import { w } from './words';

interface Report {
  id: string;
  account_id: string;
  domain: string;
  state: string;
  state_since: string;
  dns_mode: string;
  dns_valid: boolean;
  last_dns_check_at: string | null;
  next_dns_check_at: string;
  rotation_ready: boolean;
  paused: boolean;
  dns_records: {
    label: string;
    type: string;
    host: string;
    content: string;
    required: boolean;
    propagated: boolean;
    judged: boolean;
    explanation: { found: string; wanted: string; advice: string } | null;
  }[];
  dkim: {
    selector: string;
    waiting: string | null;
    rotation: {
      interval_days: number;
      started_at: string | null;
      verified_at: string | null;
      switched_at: string | null;
      next_at: string;
      reason: string | null;
    } | null;
  };
  pauses: {
    paused_at: string;
    reason: string;
    paused_by: string;
    note: string | null;
    lifted_at: string | null;
  }[];
}
interface Reports {
  data: Report[];
  has_more: boolean;
  notice?: string;
}

/** A sending domain in every account that has it: its records, its keys, its pauses. */
export default function ZoneDomainPage() {
  const name = useParam('domain');
  const query = useQuery({
    queryKey: ['zone', 'domain', name],
    queryFn: () => get<Reports>(`domains/domains/${encodeURIComponent(name)}`),
  });
  return (
    <Page title={name} back={{ ...to('/zone'), label: w.nav.zone }}>
      <Loaded query={query}>
        {({ data, has_more: hasMore, notice }) => (
          <>
            {notice && <p className="mb-4 text-sm text-ink-3">{notice}</p>}
            {data.map((report) => (
              <OfAccount key={report.id} of={report} />
            ))}
            {hasMore && <p className="mt-4 text-sm text-ink-3">{w.zone.moreAccounts}</p>}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function OfAccount({ of: report }: { of: Report }) {
  const { account_id: accountId, domain, paused, pauses } = report;
  const path = `domains/accounts/${accountId}/domains/${encodeURIComponent(domain)}`;
  const shared = { changes: [['zone']], done: () => notify(w.zone.changed) };
  return (
    <Section
      title={`${w.account} ${accountId}`}
      actions={
        paused ? (
          <Act label={w.zone.unpause} run={() => call('POST', `${path}/unpause`)} {...shared} />
        ) : (
          <ActionWithText
            label={w.zone.pause}
            text={w.zone.pauseText}
            field={w.reason}
            run={(reason) => call('POST', `${path}/pause`, { reason })}
            danger
            {...shared}
          />
        )
      }
    >
      <div className="panel mb-4 p-4">
        <About of={report} />
      </div>
      <Table
        label={w.zone.records}
        rows={report.dns_records}
        keyOf={({ type, host }) => `${type} ${host}`}
        empty={w.none}
        columns={[
          {
            title: w.zone.state,
            cell: ({ propagated, required, judged }) => (
              <Badge tone={propagated ? 'good' : !judged ? 'plain' : required ? 'bad' : 'warn'}>
                {propagated ? w.zone.seen : judged ? w.zone.notSeen : w.zone.notChecked}
              </Badge>
            ),
          },
          { title: w.zone.type, cell: ({ label, type }) => `${label} (${type})` },
          { title: w.zone.host, cell: ({ host }) => <Wide>{host}</Wide> },
          {
            title: w.zone.wanted,
            cell: ({ content, explanation }) => (
              <div className="min-w-56">
                <Code>{explanation?.wanted ?? content}</Code>
                {explanation && (
                  <p className="mt-1 text-ink-2">
                    {w.zone.found} <Code>{explanation.found}</Code>. {explanation.advice}
                  </p>
                )}
              </div>
            ),
          },
        ]}
      />
      {pauses.length > 0 && (
        <div className="mt-4">
          <Table
            label={w.zone.pauses}
            rows={pauses}
            keyOf={({ paused_at }) => paused_at}
            empty={w.none}
            columns={[
              { title: w.zone.pausedAt, cell: ({ paused_at }) => <At at={paused_at} /> },
              {
                title: w.reason,
                cell: ({ reason, paused_by, note }) => [reason, paused_by, note].filter(Boolean).join(', '),
              },
              { title: w.zone.liftedAt, cell: ({ lifted_at }) => <At at={lifted_at} /> },
            ]}
          />
        </div>
      )}
    </Section>
  );
}

function About({ of: report }: { of: Report }) {
  const { rotation, selector, waiting } = report.dkim;
  const at = (name: string, time: string | null | undefined) =>
    time ? ([name, <At key={name} at={time} />] as const) : undefined;
  return (
    <Facts
      rows={[
        [
          w.zone.state,
          <span key="state">
            <Badge tone={report.dns_valid ? 'good' : 'bad'}>{report.state}</Badge>{' '}
            {report.paused && <Badge tone="warn">{w.zone.paused}</Badge>} <At at={report.state_since} />
          </span>,
        ],
        [
          w.account,
          <Link key="account" {...to(accountLink(report.account_id))} className="text-accent hover:underline">
            <Code>{report.account_id}</Code>
          </Link>,
        ],
        [w.zone.checked, <At key="checked" at={report.last_dns_check_at} />],
        [w.zone.selector, <Code key="selector">{selector}</Code>],
        waiting !== null && [w.zone.selectorWaits, waiting],
        rotation === null && [w.zone.rotation, w.zone.ownDns],
        rotation !== null && [w.zone.interval, w.zone.days(rotation.interval_days)],
        rotation !== null && [w.zone.standby, report.rotation_ready ? w.zone.seen : w.zone.notSeen],
        at(w.zone.started, rotation?.started_at),
        at(w.zone.verified, rotation?.verified_at),
        at(w.zone.switched, rotation?.switched_at),
        rotation !== null && [
          w.zone.nextStep,
          <span key="next">
            <At at={rotation.next_at} /> {rotation.reason}
          </span>,
        ],
      ]}
    />
  );
}
