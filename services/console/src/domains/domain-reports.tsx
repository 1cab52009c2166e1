import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';
import { shareText } from '../statistics/deliverability.rules';
import { FiguresTable, type FiguresColumn } from '../statistics/figures-table';
import { Badge, type Tone } from '../ui/badge';
import { Button } from '../ui/button';
import { Section } from '../ui/page';
import { saveCsv } from '../ui/save-csv';
import { Empty, Loaded } from '../ui/states';
import { dateTimeText, Time, useZone } from '../ui/times';
import { t } from '../words/words';
import { ReportRecords } from './report-records';

type Reports = ConsoleSchemas['DomainReports'];
type Finding = Reports['findings'][number];
type Source = Reports['sources'][number];
type TlsResult = Reports['tls'][number];
type Received = Reports['reports'][number];

const count = (value: number) => value.toLocaleString('en');

/** Reports of receivers about the mail of a domain: one sentence and one fix per mailbox provider, then the figures. */
export default function DomainReports({ domain }: { domain: string }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['domain-reports', account.account_id, domain],
    queryFn: () => read(back.GET('/console/api/domains/{domain}/reports', { params: { path: { domain } } })),
  });
  return (
    <>
      <Loaded query={query}>
        {(reports) =>
          reports.last_report_at === null && reports.failures.length === 0 ? (
            <Empty title={t.reports.none}>{t.reports.noneText}</Empty>
          ) : (
            <Parts reports={reports} />
          )
        }
      </Loaded>
      <ReportRecords domain={domain} />
    </>
  );
}

function Parts({ reports }: { reports: Reports }) {
  const { alignment, findings, days, last_report_at: last } = reports;
  const { message_count: messages, failed_count: failed, fell_at: fell, usual_share: usual } = alignment;
  return (
    <>
      {fell !== null && (
        <p role="alert" className="mb-4 rounded-lg bg-bad-soft px-4 py-3 text-bad">
          {t.reports.fell(shareText(usual ?? 1, 1))} <Time at={fell} ago />.
        </p>
      )}
      <p className="mb-3 text-ink-2" role="status">
        {t.reports.summary(messages, shareText(messages - failed, messages), days)}{' '}
        {last !== null && (
          <span className="text-ink-3">
            {t.reports.last} <Time at={last} ago />
          </span>
        )}
      </p>
      {findings.length > 0 && (
        <Section title={t.reports.findings} lead={t.reports.findingsText}>
          <ul className="panel divide-y divide-line">
            {findings.map((finding) => (
              <FindingRow key={finding.provider} finding={finding} />
            ))}
          </ul>
        </Section>
      )}
      <Sources reports={reports} />
      <Tls results={reports.tls} />
      <Failures reports={reports} />
      <ReceivedReports rows={reports.reports} />
    </>
  );
}

const toneOf = ({ code, fix }: Finding): Tone =>
  code === 'aligned' ? 'good' : fix === null ? 'plain' : code.startsWith('own_') ? 'bad' : 'warn';

function FindingRow({ finding }: { finding: Finding }) {
  const { provider_name: name, code, sentence, fix } = finding;
  return (
    <li className="px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{name}</span>
        <Badge tone={toneOf(finding)}>{t.reports.codes[code]}</Badge>
      </p>
      <p className="mt-1 break-words">{sentence}</p>
      {fix !== null && <p className="mt-1 text-sm break-words text-ink-2">{fix}</p>}
      <p className="mt-1 text-xs text-ink-3">
        {t.reports.counts(finding.message_count, finding.own_count, finding.delivered_count)}{' '}
        {t.reports.dispositions(finding.quarantined_count, finding.rejected_count)}
      </p>
    </li>
  );
}

const COLUMNS: readonly FiguresColumn<Source>[] = [
  { title: t.reports.whose, cell: whoseOf },
  { title: t.reports.messages, cell: (row) => count(row.message_count) },
  { title: t.reports.failed, cell: (row) => count(row.failed_count) },
  { title: t.reports.byDkim, cell: (row) => count(row.dkim_aligned_count) },
  { title: t.reports.bySpf, cell: (row) => count(row.spf_aligned_count) },
  { title: t.reports.signedAs, cell: (row) => row.dkim_domain ?? '–' },
  { title: t.reports.returnPath, cell: (row) => row.spf_domain ?? '–' },
];

function whoseOf({ is_own: isOwn, in_spf: inSpf }: Source): string {
  if (isOwn) return t.reports.ours;
  return inSpf === null ? t.reports.foreign : inSpf ? t.reports.inSpf : t.reports.notInSpf;
}

const nameOfSource = ({ source }: Source): string => (source === 'other' ? t.reports.otherSources : source);

function Sources({ reports: { sources, domain } }: { reports: Reports }) {
  if (sources.length === 0) return null;
  const save = () =>
    saveCsv(`sources-${domain}.csv`, [
      [t.reports.source, ...COLUMNS.map(({ title }) => title)],
      ...sources.map((row) => [nameOfSource(row), ...COLUMNS.map(({ cell }) => cell(row))]),
    ]);
  return (
    <Section
      title={t.reports.sources}
      lead={t.reports.sourcesText}
      actions={<Button onClick={save}>{t.reports.saveCsv}</Button>}
    >
      <FiguresTable
        label={t.reports.sources}
        head={t.reports.source}
        columns={COLUMNS}
        rows={sources}
        keyOf={({ source }) => source}
        nameOf={nameOfSource}
      />
    </Section>
  );
}

const TLS_COLUMNS: readonly FiguresColumn<TlsResult>[] = [
  { title: t.reports.result, cell: (row) => row.result_type ?? t.reports.succeeded },
  { title: t.reports.policy, cell: (row) => row.policy_type },
  { title: t.reports.server, cell: (row) => row.mx_host || '–' },
  { title: t.reports.sessions, cell: (row) => count(row.session_count) },
];

function Tls({ results }: { results: Reports['tls'] }) {
  if (results.length === 0) return null;
  return (
    <Section title={t.reports.tls} lead={t.reports.tlsText}>
      <FiguresTable
        label={t.reports.tls}
        head={t.reports.provider}
        columns={TLS_COLUMNS}
        rows={results}
        keyOf={(row) => `${row.provider} ${row.policy_type} ${row.result_type} ${row.mx_host}`}
        nameOf={(row) => row.provider_name}
      />
    </Section>
  );
}

function Failures({ reports: { failures } }: { reports: Reports }) {
  if (failures.length === 0) return null;
  return (
    <Section title={t.reports.failures} lead={t.reports.failuresText}>
      <ul className="panel divide-y divide-line">
        {failures.map((failure, index) => (
          <li key={index} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2 text-sm">
            <Time at={failure.arrived_at ?? failure.received_at} />
            <span className="break-words">
              {t.reports.failure(failure.provider_name, failure.source, failure.failure)}
            </span>
            {failure.message_id !== null && (
              <Link
                to="/messages/$messageId"
                params={{ messageId: failure.message_id }}
                className="text-accent hover:underline"
              >
                {t.reports.message}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function ReceivedReports({ rows }: { rows: Reports['reports'] }) {
  const zone = useZone();
  if (rows.length === 0) return null;
  const time = (at: string) => dateTimeText(at, zone, { seconds: false });
  const columns: readonly FiguresColumn<Received>[] = [
    { title: t.reports.about, cell: (row) => t.reports.kinds[row.kind] },
    { title: t.reports.begins, cell: (row) => time(row.begins_at) },
    { title: t.reports.ends, cell: (row) => time(row.ends_at) },
    { title: t.reports.came, cell: (row) => time(row.received_at) },
    { title: t.reports.messages, cell: (row) => count(row.message_count) },
    { title: t.reports.skipped, cell: (row) => count(row.skipped_count) },
  ];
  return (
    <Section title={t.reports.received} lead={t.reports.receivedText}>
      <FiguresTable
        label={t.reports.received}
        head={t.reports.writer}
        columns={columns}
        rows={rows}
        keyOf={(row) => `${row.organisation} ${row.report_id} ${row.received_at}`}
        nameOf={(row) => row.organisation}
      />
    </Section>
  );
}
