import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sending domains with their DNS verdicts and DKIM keys. A deleted domain leaves no row: added again it is
 * a new one (spec 1-platform §11.9).
 */
export class CreateDomains1764000000100 implements MigrationInterface {
  name = 'CreateDomains1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...DOMAINS, ...ACCOUNTS]) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const DOMAINS = [
  `create table domains (
    id uuid primary key,
    account_id uuid not null,
    domain text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    dns_mode text not null check (dns_mode in ('managed', 'manual')),
    state text not null check (state in ('pending', 'valid', 'suspect', 'invalid')),
    state_since timestamptz(3) not null,
    failures smallint not null,
    contested boolean not null,
    last_dns_check_at timestamptz(3),
    next_check_at timestamptz(3) not null,
    tracking_subdomain text,
    return_path_subdomain text,
    subscription_subdomain text,
    media_subdomain text,
    domain_token text not null unique,
    active_slot smallint not null check (active_slot in (1, 2)),
    dkim_selector text,
    locked_selector text,
    dkim_rotation_interval_days smallint,
    published_spf text,
    dsn_recipient text,
    sending_type text not null check (sending_type in ('transactional', 'marketing')),
    paused_at timestamptz(3),
    pause_reason text,
    revision bigint not null,
    unique (account_id, domain)
  )`,
  'create index domains_newest on domains (account_id, created_at, id)',
  // the same domain in several accounts (spec 1-platform §11.5 rule 8)
  'create index domains_by_name on domains (domain)',
  'create index domains_due on domains (next_check_at)',
  `create table dns_records (
    domain_id uuid not null references domains on delete cascade,
    kind text not null,
    propagated boolean not null,
    locked_label text,
    judged_at timestamptz(3) not null,
    primary key (domain_id, kind)
  )`,
  `create table dkim_keys (
    id uuid primary key,
    domain_id uuid not null references domains on delete cascade,
    slot smallint not null check (slot in (1, 2)),
    bits smallint not null,
    public_key text not null,
    private_key text not null,
    own boolean not null,
    created_at timestamptz(3) not null,
    activated_at timestamptz(3),
    unique (domain_id, slot)
  )`,
];

const ACCOUNTS = [
  `create table account_settings (
    account_id uuid primary key,
    dns_mode text check (dns_mode in ('managed', 'manual')),
    domain_limit int,
    return_path_satisfies_spf boolean not null default false,
    dkim_selector text,
    dkim_rotation_days smallint,
    tracking_subdomain text,
    return_path_subdomain text,
    subscription_subdomain text,
    media_subdomain text,
    spf_host text,
    return_path_host text,
    tracking_host text,
    mx_host text,
    updated_at timestamptz(3) not null
  )`,
  // only deleted accounts: a late request of theirs must leave no domain behind
  `create table account_states (
    account_id uuid primary key,
    state text not null check (state = 'deleted'),
    revision int not null,
    changed_at timestamptz(3) not null
  )`,
];
