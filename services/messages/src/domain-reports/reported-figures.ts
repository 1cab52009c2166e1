import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId, DomainId } from '@postmesh/contracts';
import type { ReportedSource } from './findings.rules.js';
import type { FailureRow, ReportRow, TlsRow } from './report-rows.rules.js';

export interface SourceFigures extends ReportedSource {
  readonly dkimAligned: number;
  readonly spfAligned: number;
  readonly quarantined: number;
  readonly rejected: number;
}

export interface DayFigures {
  readonly day: string;
  readonly messages: number;
  readonly aligned: number;
}

export interface AlignmentRow {
  readonly domainId: DomainId;
  readonly domain: string;
  readonly share: number;
  readonly usual: number;
  readonly fellAt: Date;
}

type TlsFigures = Pick<TlsRow, 'provider' | 'policyType' | 'resultType' | 'mxHost' | 'sessions'>;

/** A stored row as its domain is shown it. */
type ShownOf<Row> = Omit<Row, 'id' | 'accountId' | 'domainId'>;

/** A domain and a time. */
interface Range {
  readonly domainId: DomainId;
  readonly days: number;
}

/** Rows of one response; beyond them only floods are left out. */
const MAX_ROWS = 2_000;
const MAX_SHOWN = 50;
const MAX_FALLS = 100;

/** Figures of reports, read for the console. */
@Injectable()
export class ReportedFigures {
  constructor(private readonly dataSource: DataSource) {}

  sources({ domainId, days }: Range): Promise<SourceFigures[]> {
    return this.dataSource.query(SOURCES, [domainId, days, MAX_ROWS]);
  }

  days({ domainId, days }: Range): Promise<DayFigures[]> {
    return this.dataSource.query(DAYS, [domainId, days]);
  }

  tls({ domainId, days }: Range): Promise<TlsFigures[]> {
    return this.dataSource.query(TLS, [domainId, days, MAX_SHOWN]);
  }

  failures({ domainId, days }: Range): Promise<ShownOf<FailureRow>[]> {
    return this.dataSource.query(FAILURES, [domainId, days, MAX_SHOWN]);
  }

  reports({ domainId, days }: Range): Promise<ShownOf<ReportRow>[]> {
    return this.dataSource.query(REPORTS, [domainId, days, MAX_SHOWN]);
  }

  /** Domains of an account whose aligned share is below the usual one, the newest fall first. */
  falls(accountId: AccountId): Promise<AlignmentRow[]> {
    return this.dataSource.query(FALLS, [accountId, MAX_FALLS]);
  }
}

const SINCE = `(now() at time zone 'utc')::date - $2::int`;

const SOURCES = `
  select provider, source, sum(messages)::float8 as messages, sum(aligned)::float8 as aligned,
    sum(forwarded)::float8 as forwarded, sum(dkim_aligned)::float8 as "dkimAligned", sum(spf_aligned)::float8 as "spfAligned",
    sum(quarantined)::float8 as quarantined, sum(rejected)::float8 as rejected,
    (array_agg(dkim_domain order by day desc) filter (where aligned < messages))[1] as "dkimDomain",
    (array_agg(dkim_result order by day desc) filter (where aligned < messages))[1] as "dkimResult",
    (array_agg(spf_domain order by day desc) filter (where aligned < messages))[1] as "spfDomain"
  from reported_sources where domain_id = $1 and day >= ${SINCE}
  group by provider, source order by sum(messages) - sum(aligned) desc, sum(messages) desc, source limit $3`;

const DAYS = `
  select day::text as day, sum(messages)::float8 as messages, sum(aligned)::float8 as aligned
  from reported_sources where domain_id = $1 and day >= ${SINCE} group by day order by day`;

const TLS = `
  select provider, policy_type as "policyType", result_type as "resultType", mx_host as "mxHost",
    sum(sessions)::float8 as sessions
  from reported_tls where domain_id = $1 and day >= ${SINCE}
  group by provider, policy_type, result_type, mx_host
  order by result_type = '', sum(sessions) desc, provider limit $3`;

const FAILURES = `
  select provider, source, failure, alignment, delivery_result as "deliveryResult", dkim_domain as "dkimDomain", incidents,
    message_id as "messageId", arrived_at as "arrivedAt", received_at as "receivedAt"
  from failure_reports where domain_id = $1 and received_at > now() - $2 * interval '1 day'
  order by received_at desc, id limit $3`;

const REPORTS = `
  select kind, provider, organisation, report_id as "reportId", begins_at as "beginsAt", ends_at as "endsAt",
    received_at as "receivedAt", messages::float8 as messages, skipped
  from domain_reports where domain_id = $1 and received_at > now() - $2 * interval '1 day'
  order by received_at desc, id limit $3`;

const FALLS = `
  select domain_id as "domainId", domain, share::float8 as share, usual::float8 as usual, fell_at as "fellAt"
  from domain_alignments where account_id = $1 and scope = 'all' and fell_at is not null
  order by fell_at desc, domain_id limit $2`;
