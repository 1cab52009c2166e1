import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The index for lists with filters (decision 32), pending cancels, and more facts of attempts. */
export class SearchMessages1764100000820 implements MigrationInterface {
  name = 'SearchMessages1764100000820';

  async up(runner: QueryRunner): Promise<void> {
    await createSegments(runner);
    await createChanges(runner);
    await addConnectionFacts(runner);
    await createCancellations(runner);
    // The Message-ID of API messages contains an id. A Message-ID from a client may exceed the size of an index entry.
    await runner.query(
      `create index send_requests_of_header on send_requests (md5(message_id_header)) where kind = 'smtp'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * A segment is a fixed number of messages of an account that follow each other in the list. `ids`: 16 bytes per message,
 * newest first, so that a position finds an id; `statuses`: a byte per message. `search_postings` has for each token
 * (search-tokens.rules.ts) its positions within a segment. Messages of an account that are newer than its last segment
 * are filtered row by row.
 */
async function createSegments(runner: QueryRunner): Promise<void> {
  await runner.query(`create table search_accounts (
    account_id uuid primary key,
    segments bigint not null default 0,
    sealed_at timestamptz(3) not null default '-infinity',
    sealed_id uuid not null default '00000000-0000-0000-0000-000000000000',
    next_look_at timestamptz(3) not null default now()
  )`);
  await runner.query('create index search_accounts_due on search_accounts (next_look_at)');
  await runner.query(`create table search_segments (
    account_id uuid not null,
    segment bigint not null,
    oldest_at timestamptz(3) not null,
    oldest_id uuid not null,
    newest_at timestamptz(3) not null,
    newest_id uuid not null,
    kept_until timestamptz(3) not null,
    ids bytea not null,
    statuses bytea not null,
    primary key (account_id, segment)
  )`);
  // not compressed, so that one id is read without the others
  await runner.query('alter table search_segments alter column ids set storage external');
  await runner.query('create index search_segments_kept_until on search_segments (kept_until)');
  await runner.query(`create table search_postings (
    account_id uuid not null,
    token text collate "C" not null,
    segment bigint not null,
    positions bytea not null,
    primary key (account_id, token, segment)
  )`);
}

/**
 * A queue of messages whose row was changed when they were old enough to be in a segment. A trigger writes it, so that
 * code that changes a status need not know of segments; one call per statement, and no row for fresh messages.
 */
async function createChanges(runner: QueryRunner): Promise<void> {
  await runner.query(`create table search_changes (
    account_id uuid not null,
    message_id uuid not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`);
  await runner.query(`create function note_changed_messages() returns trigger language plpgsql set search_path from current as $$
    begin
      insert into search_changes (account_id, message_id)
      select account_id, id from changed where created_at < now() - interval '1 minute';
      return null;
    end $$`);
  await runner.query(`create trigger note_changed_messages after update on messages
    referencing new table as changed for each statement execute function note_changed_messages()`);
}

/** Facts of an attempt for operators: the egress address, and TLS. */
async function addConnectionFacts(runner: QueryRunner): Promise<void> {
  await runner.query(`alter table delivery_attempts add column remote_address text, add column tls_protocol text,
    add column tls_cipher text`);
}

/** Cancels without an answer so far (decision 31). */
async function createCancellations(runner: QueryRunner): Promise<void> {
  await runner.query(`create table cancellations (
    message_id uuid primary key,
    wished_at timestamptz(3) not null default now()
  )`);
  await runner.query('create index cancellations_wished_at on cancellations (wished_at)');
}
