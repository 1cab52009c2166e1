import { derivedId, type AccountId, type DomainId } from '@postmesh/contracts';
import type { AggregateRecord, AggregateReport, FailureReport, TlsReport } from './read/domain-report.js';

/** A sending domain, as reports name it by its address. */
export interface ReportedDomain {
  readonly accountId: AccountId;
  readonly domainId: DomainId;
  readonly domain: string;
}

/** How a report came. */
export interface Arrival {
  /** an id of libs/smtp-replies, or the domain of the author */
  readonly provider: string;
  /** registrable domain of the author, proved */
  readonly author: string;
  readonly receivedAt: Date;
}

export interface ReportRow {
  id: string;
  accountId: AccountId;
  domainId: DomainId;
  kind: 'dmarc' | 'tls';
  provider: string;
  organisation: string;
  reportId: string;
  beginsAt: Date;
  endsAt: Date;
  receivedAt: Date;
  messages: number;
  skipped: number;
}

export interface SourceRow {
  accountId: AccountId;
  domainId: DomainId;
  day: string;
  provider: string;
  source: string;
  isOwn: boolean;
  messages: number;
  aligned: number;
  dkimAligned: number;
  spfAligned: number;
  quarantined: number;
  rejected: number;
  forwarded: number;
  dkimDomain: string | null;
  dkimResult: string | null;
  spfDomain: string | null;
  updatedAt: Date;
}

export interface TlsRow {
  accountId: AccountId;
  domainId: DomainId;
  day: string;
  provider: string;
  policyType: string;
  /** empty: sessions that succeeded */
  resultType: string;
  mxHost: string;
  sessions: number;
  updatedAt: Date;
}

/** Sources of one report with a row of their own; the ones with fewer messages share `other`. */
const MAX_SOURCES = 200;
const MAX_TLS_ROWS = 200;
export const OTHER_SOURCES = 'other';
/** The sessions of RFC 8460 that are no failure. */
const SUCCESS = '';

/** Overrides of receivers that know a message as forwarded. */
const FORWARDS = new Set(['forwarded', 'mailing_list', 'trusted_forwarder', 'local_policy_arc']);

const DAY_MS = 86_400_000;
const MAX_AGE_MS = 60 * DAY_MS;

/** A report of another time than the last two months is a mistake, or made up. */
export const isTimely = ({ beginsAt, endsAt }: AggregateReport | TlsReport, now: Date): boolean =>
  endsAt >= beginsAt &&
  beginsAt.getTime() > now.getTime() - MAX_AGE_MS &&
  endsAt.getTime() < now.getTime() + 2 * DAY_MS;

/** A report that comes again has the same id: writers repeat what they do not know as taken. */
export const reportRow = (
  report: AggregateReport | TlsReport,
  { accountId, domainId }: ReportedDomain,
  { provider, author, receivedAt }: Arrival,
  messages: number,
): ReportRow => ({
  id: derivedId(
    'domain-report',
    domainId,
    report.kind,
    author,
    report.reportId,
    report.beginsAt.toISOString(),
  ),
  ...{ accountId, domainId, kind: report.kind, provider, messages, receivedAt },
  organisation: storable(report.organisation),
  reportId: storable(report.reportId),
  beginsAt: report.beginsAt,
  endsAt: report.endsAt,
  skipped: report.kind === 'dmarc' ? report.skipped : 0,
});

/** PostgreSQL takes no NUL. */
const storable = (text: string): string => text.replaceAll('\0', '').slice(0, 255);

/** A report about a domain above, or below, has records of other domains as well: those are not ours. */
export const isAbout = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`);

/** In the order of their key, so that concurrent reports do not wait for each other in a circle. */
export function sourceRows(
  report: AggregateReport,
  about: ReportedDomain,
  { provider, receivedAt }: Arrival,
  isOwn: (source: string) => boolean,
): SourceRow[] {
  const records = report.records.filter(({ headerFrom }) => isAbout(headerFrom, about.domain));
  const totals = new Map<string, number>();
  for (const { source, count } of records) totals.set(source, (totals.get(source) ?? 0) + count);
  const largest = [...totals].toSorted(([, one], [, other]) => other - one).slice(0, MAX_SOURCES);
  const shown = new Set(largest.map(([source]) => source));
  const rows = new Map<string, SourceRow>();
  for (const record of records) {
    const source = shown.has(record.source) ? record.source : OTHER_SOURCES;
    const row = rows.get(source) ?? {
      ...{
        accountId: about.accountId,
        domainId: about.domainId,
        day: dayOf(report.beginsAt),
        provider,
        source,
      },
      ...{ isOwn: isOwn(source), messages: 0, aligned: 0, dkimAligned: 0, spfAligned: 0 },
      ...{ quarantined: 0, rejected: 0, forwarded: 0 },
      ...{ dkimDomain: null, dkimResult: null, spfDomain: null, updatedAt: receivedAt },
    };
    rows.set(source, added(row, record));
  }
  return [...rows.values()].toSorted((one, other) => (one.source < other.source ? -1 : 1));
}

function added(row: SourceRow, record: AggregateRecord): SourceRow {
  const { count, dkim, spf, disposition, override } = record;
  const isAligned = dkim || spf;
  const isForwarded = !isAligned && override !== null && FORWARDS.has(override);
  const because = isAligned
    ? {}
    : {
        dkimDomain: textOrNull(record.dkimDomain),
        dkimResult: textOrNull(record.dkimResult),
        spfDomain: textOrNull(record.spfDomain),
      };
  return {
    ...row,
    messages: row.messages + count,
    aligned: row.aligned + (isAligned ? count : 0),
    dkimAligned: row.dkimAligned + (dkim ? count : 0),
    spfAligned: row.spfAligned + (spf ? count : 0),
    quarantined: row.quarantined + (disposition === 'quarantine' ? count : 0),
    rejected: row.rejected + (disposition === 'reject' ? count : 0),
    forwarded: row.forwarded + (isForwarded ? count : 0),
    ...because,
  };
}

const textOrNull = (text: string | null): string | null => (text === null ? null : storable(text));

/** @returns also the sessions that succeeded */
export function tlsRows(
  report: TlsReport,
  about: ReportedDomain,
  { provider, receivedAt }: Arrival,
): TlsRow[] {
  const rows = new Map<string, TlsRow>();
  const add = (policyType: string, resultType: string, mxHost: string, sessions: number) => {
    const key = `${policyType}\n${resultType}\n${mxHost}`;
    const row = rows.get(key);
    if (sessions === 0 || (!row && rows.size >= MAX_TLS_ROWS)) return;
    const of = {
      accountId: about.accountId,
      domainId: about.domainId,
      day: dayOf(report.beginsAt),
      provider,
    };
    const kind = {
      policyType: storable(policyType),
      resultType: storable(resultType),
      mxHost: storable(mxHost),
    };
    rows.set(key, { ...of, ...kind, sessions: (row?.sessions ?? 0) + sessions, updatedAt: receivedAt });
  };
  const isOurs = (domain: string) => domain === '' || isAbout(domain, about.domain);
  for (const policy of report.policies.filter(({ policyDomain }) => isOurs(policyDomain))) {
    add(policy.policyType, SUCCESS, '', policy.succeeded);
    const explained = policy.failures.reduce((sum, { sessions }) => sum + sessions, 0);
    for (const { resultType, mxHost, sessions } of policy.failures)
      add(policy.policyType, resultType, mxHost, sessions);
    // failures without details count as well
    add(policy.policyType, 'unspecified', '', Math.max(0, policy.failed - explained));
  }
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

export interface FailureRow {
  id: string;
  accountId: AccountId;
  domainId: DomainId;
  provider: string;
  source: string | null;
  failure: string;
  alignment: string | null;
  deliveryResult: string | null;
  dkimDomain: string | null;
  incidents: number;
  messageId: string | null;
  arrivedAt: Date | null;
  receivedAt: Date;
}

export const failureRow = (
  report: FailureReport,
  { accountId, domainId }: ReportedDomain,
  { provider, receivedAt }: Arrival,
  { raw, messageId }: { raw: Buffer; messageId: string | null },
): FailureRow => ({
  id: derivedId('failure-report', domainId, raw),
  ...{ accountId, domainId, provider, messageId, receivedAt },
  ...{ source: report.source, incidents: report.incidents, arrivedAt: report.arrivedAt },
  failure: storable(report.failure),
  alignment: textOrNull(report.alignment),
  deliveryResult: textOrNull(report.deliveryResult),
  dkimDomain: textOrNull(report.dkimDomain),
});

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
