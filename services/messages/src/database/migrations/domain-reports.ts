import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reports of receivers about sending domains (decision 150): each report once, its figures by day, provider and source, the
 * failures of TLS, single messages that failed, and the alignment that the last reports came to.
 */
export class DomainReports1764500000020 implements MigrationInterface {
  name = 'DomainReports1764500000020';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(TABLES)) {
      await runner.query(`create table ${table} (${columns})`);
      await runner.query(`create index ${table}_of_account on ${table} (account_id)`);
    }
    for (const index of INDEXES) await runner.query(`create index ${index}`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const TABLES = {
  domain_reports: `
    id uuid primary key,
    account_id uuid not null,
    domain_id uuid not null,
    kind text not null,
    provider text not null,
    organisation text not null,
    report_id text not null,
    begins_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    received_at timestamptz(3) not null,
    messages bigint not null,
    skipped integer not null`,
  reported_sources: `
    account_id uuid not null,
    domain_id uuid not null,
    day date not null,
    provider text not null,
    source text not null,
    is_own boolean not null,
    messages bigint not null,
    aligned bigint not null,
    dkim_aligned bigint not null,
    spf_aligned bigint not null,
    quarantined bigint not null,
    rejected bigint not null,
    forwarded bigint not null,
    dkim_domain text,
    dkim_result text,
    spf_domain text,
    updated_at timestamptz(3) not null,
    primary key (domain_id, day, provider, source)`,
  reported_tls: `
    account_id uuid not null,
    domain_id uuid not null,
    day date not null,
    provider text not null,
    policy_type text not null,
    result_type text not null,
    mx_host text not null,
    sessions bigint not null,
    updated_at timestamptz(3) not null,
    primary key (domain_id, day, provider, policy_type, result_type, mx_host)`,
  failure_reports: `
    id uuid primary key,
    account_id uuid not null,
    domain_id uuid not null,
    provider text not null,
    source text,
    failure text not null,
    alignment text,
    delivery_result text,
    dkim_domain text,
    incidents integer not null,
    message_id uuid,
    arrived_at timestamptz(3),
    received_at timestamptz(3) not null`,
  domain_alignments: `
    domain_id uuid not null,
    scope text not null,
    account_id uuid not null,
    domain text not null,
    share real,
    usual real,
    fell_at timestamptz(3),
    updated_at timestamptz(3) not null,
    primary key (domain_id, scope)`,
};

/** For the newest rows of a domain, and for the deletion of old ones. */
const INDEXES = [
  'domain_reports_newest on domain_reports (domain_id, received_at desc)',
  'domain_reports_received on domain_reports (received_at)',
  'reported_sources_updated on reported_sources (updated_at)',
  'reported_tls_updated on reported_tls (updated_at)',
  'failure_reports_newest on failure_reports (domain_id, received_at desc)',
  'failure_reports_received on failure_reports (received_at)',
  'domain_alignments_updated on domain_alignments (updated_at)',
];
