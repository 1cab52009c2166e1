import type { MigrationInterface, QueryRunner } from 'typeorm';

const SESSIONS = `
  -- secret_hash, token_hash: HMAC-SHA-256 with the server's pepper; the secrets are nowhere
  create table sessions (
    id uuid primary key,
    user_id uuid not null references users (id),
    account_id uuid not null references accounts (id),
    secret_hash bytea not null unique,
    pepper_id text not null,
    way text not null check (way in ('link', 'invitation', 'operator', 'passkey', 'oidc')),
    user_agent text not null,
    client_ip text not null,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3) not null
  );
  create index sessions_of_user on sessions (user_id, account_id);
  create index sessions_by_age on sessions (created_at);
  create table sign_in_links (
    id uuid primary key,
    user_id uuid not null references users (id),
    account_id uuid references accounts (id),
    token_hash bytea not null unique,
    pepper_id text not null,
    way text not null check (way in ('link', 'invitation', 'operator')),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index sign_in_links_of_user on sign_in_links (user_id);
  create index sign_in_links_by_end on sign_in_links (expires_at);
  create index members_of_user on members (user_id);
  create index accounts_of_owner on accounts (owner_id);`;

/**
 * The chain of the audit. seq and hash are null until a row is sealed; the one row of audit_chain is the end of the chain.
 * The release before inserts rows without them, which are sealed like others.
 */
const AUDIT_CHAIN = `
  alter table audit_entries drop constraint audit_entries_actor_kind_check;
  alter table audit_entries add constraint audit_entries_actor_kind_check
    check (actor_kind in ('operator', 'api-key', 'member', 'system'));
  alter table audit_entries add column seq bigint unique, add column hash bytea;
  create index audit_entries_not_sealed on audit_entries (at, id) where seq is null;
  create table audit_chain (
    only_row boolean primary key default true check (only_row),
    seq bigint not null,
    hash bytea not null
  ) with (fillfactor = 10);
  insert into audit_chain (seq, hash) values (0, decode(repeat('00', 32), 'hex'));`;

export class CreateSessions1764200000700 implements MigrationInterface {
  name = 'CreateSessions1764200000700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query([SESSIONS, AUDIT_CHAIN].join('\n'));
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
