import type { MigrationInterface, QueryRunner } from 'typeorm';

const ACCOUNTS = `
  create table users (
    id uuid primary key,
    email text not null unique,
    name text not null default '',
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create table accounts (
    id uuid primary key,
    parent_account_id uuid references accounts (id),
    name text not null,
    website text not null default '',
    about text not null default '',
    track_opens boolean not null default false,
    track_clicks boolean not null default false,
    reject_bad_recipients boolean not null default false,
    reject_mistyped_recipients boolean not null default false,
    message_metadata_retention smallint not null default 7
      check (message_metadata_retention between 1 and 30),
    message_data_retention smallint not null default 7 check (message_data_retention between 0 and 30),
    platform_partner boolean not null,
    monthly_credit bigint not null default 0 check (monthly_credit between 0 and 1000000000),
    rate_limits jsonb,
    owner_id uuid not null references users (id),
    suspended_at timestamptz(3),
    suspended_by text check (suspended_by in ('operator', 'parent')),
    suspension_reason text,
    parent_suspension jsonb,
    blocked_at timestamptz(3),
    block_reason text,
    deleted_at timestamptz(3),
    revision int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    check ((suspended_at is null) = (suspended_by is null))
  );
  create index accounts_page on accounts (created_at desc, id desc);
  -- pages of sub-accounts, newest first, without a sort (the API lists those that are not deleted)
  create index accounts_children_page on accounts (parent_account_id, created_at desc, id desc)
     where parent_account_id is not null and deleted_at is null;
  create index accounts_children on accounts (parent_account_id) where parent_account_id is not null;
  create table members (
    account_id uuid not null references accounts (id),
    user_id uuid not null references users (id),
    role text not null check (role in ('Administrator', 'Developer', 'Analyst', 'Billing Manager')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (account_id, user_id)
  );`;

const API_KEYS = `
  -- secret_hash: HMAC-SHA-256 of the whole secret with the server's pepper; the secret is nowhere
  create table api_keys (
    id uuid primary key,
    account_id uuid not null references accounts (id),
    label text not null,
    public_key text not null unique,
    secret_hash bytea not null unique,
    ip_allow_list text[] not null default '{}',
    created_by uuid references users (id),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    last_used_at timestamptz(3)
  );
  create index api_keys_page on api_keys (account_id, created_at desc, id desc);
  create table api_key_scopes (
    id uuid primary key,
    api_key_id uuid not null references api_keys (id) on delete cascade,
    position smallint not null,
    scope text not null,
    domain_id uuid,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    unique (api_key_id, scope)
  );
  create index api_key_scopes_domain on api_key_scopes (domain_id) where domain_id is not null;
  -- remembers deletions, so that a key granted a scope at that very moment does not keep it
  create table deleted_domains (
    domain_id uuid primary key,
    deleted_at timestamptz(3) not null default now()
  );`;

/**
 * The log of changed keys for gateways. Every change locks the one row of `key_revision` until its
 * commit, so revisions have no gaps and become visible in their order.
 */
const KEY_CHANGES = `
  create table key_revision (
    only_row boolean primary key default true check (only_row),
    revision bigint not null
  ) with (fillfactor = 10);
  insert into key_revision (revision) values (0);
  create table key_changes (
    revision bigint primary key,
    key_ids uuid[] not null,
    account_ids uuid[] not null,
    created_at timestamptz(3) not null default now()
  );
  create table cache_leases (
    instance uuid primary key,
    acked_revision bigint not null,
    expires_at timestamptz not null
  ) with (fillfactor = 10);`;

const AUDIT = `
  create table audit_entries (
    id uuid primary key,
    at timestamptz(3) not null,
    actor_kind text not null check (actor_kind in ('operator', 'api-key', 'system')),
    actor_id text,
    action text not null,
    account_id uuid,
    subject_id text,
    details jsonb not null default '{}'
  );
  create index audit_entries_of_account on audit_entries (account_id, at desc, id desc);
  create index audit_entries_page on audit_entries (at desc, id desc);
  create index audit_entries_of_actor on audit_entries (actor_id, at desc, id desc)
    where actor_id is not null;
  create index audit_entries_of_action on audit_entries (action, at desc, id desc);`;

export class CreateAccounts1764000000100 implements MigrationInterface {
  name = 'CreateAccounts1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query([ACCOUNTS, API_KEYS, KEY_CHANGES, AUDIT].join('\n'));
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
