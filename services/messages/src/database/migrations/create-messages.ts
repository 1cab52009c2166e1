import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All tables of the service. */
export class CreateMessages1764000000100 implements MigrationInterface {
  name = 'CreateMessages1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await createSendRequests(runner);
    await createMessages(runner);
    await createUsage(runner);
    await createSystemMails(runner);
    await createProgress(runner);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * Columns that a request has once are in `send_requests`, columns that differ per recipient in `messages`: a request
 * with 50 recipients stores its subject once. The send request's id is the id of its first message, which is
 * also the UUID inside the Message-ID, so that no further index is needed to find either.
 */
async function createSendRequests(runner: QueryRunner): Promise<void> {
  await runner.query(`create table send_requests (
    id uuid primary key,
    account_id uuid not null,
    kind text not null check (kind in ('conversation', 'regular', 'template', 'smtp')),
    domain_id uuid not null,
    domain text not null,
    sender text not null,
    subject text not null,
    message_id_header text not null,
    tags text[] not null,
    template_id uuid,
    content_id uuid,
    size int not null,
    track_opens boolean not null,
    track_clicks boolean not null,
    sandbox text,
    first_attempt timestamptz(3),
    expires timestamptz(3),
    created_at timestamptz(3) not null,
    hide_when_done boolean not null,
    retain_data_until timestamptz(3) not null,
    retain_metadata_until timestamptz(3) not null
  )`);
  await runner.query(
    'create index send_requests_data_due on send_requests (retain_data_until) where content_id is not null',
  );
  // Records are purged after their content, so this index has only rows without content, and accepting a message writes
  // no entry. A block range index would match every block as soon as accounts have different retention periods.
  await runner.query(
    'create index send_requests_record_due on send_requests (retain_metadata_until) where content_id is null',
  );
  // rows are inserted in the order of time, so a block range index finds a minute of them
  await runner.query('create index send_requests_created_at on send_requests using brin (created_at)');
}

async function createMessages(runner: QueryRunner): Promise<void> {
  // Every message changes its status at least once. Free space in its page keeps the new version next to the old one,
  // without an entry in any index (HOT): at 85 that worked for 48 % of the updates of a burst, at 60 for nearly all.
  await runner.query(`create table messages (
    id uuid primary key,
    seq bigint generated always as identity,
    send_request_id uuid not null,
    account_id uuid not null,
    recipient text not null,
    recipient_name text not null,
    status text not null,
    num_attempts int not null default 0,
    open_count int not null default 0,
    click_count int not null default 0,
    bounce_classification text not null default '',
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    sent_at timestamptz(3),
    delivered_at timestamptz(3)
  ) with (fillfactor = 60)`);
  await runner.query('create index messages_newest on messages (account_id, created_at desc, id desc)');
  // the first message of a send request has the send request's id; only the others need an index
  await runner.query(
    'create index messages_further on messages (send_request_id) where id <> send_request_id',
  );
  // the fields of an attempt for customers, and those for operators only: no other table has them
  await runner.query(`create table delivery_attempts (
    message_id uuid not null,
    position int not null,
    started_at timestamptz(3),
    finished_at timestamptz(3) not null,
    status text not null,
    log text not null,
    classification text not null,
    remote_host text,
    tls boolean,
    next_attempt_at timestamptz(3),
    primary key (message_id, position)
  )`);
}

/**
 * Accepted messages per account and calendar month. A row counts for the account alone or for its whole family (the
 * top-level account and all its children). Concurrent commits write to different slots, so that they do not wait for
 * each other; the sum of the slots is the count.
 */
async function createUsage(runner: QueryRunner): Promise<void> {
  // half of each page stays free: every commit updates a row, and its new version should fit into the same page
  await runner.query(`create table usage (
    account_id uuid not null,
    whole_family boolean not null,
    period text not null check (period ~ '^\\d{4}-\\d{2}$'),
    slot smallint not null,
    family_id uuid not null,
    accepted bigint not null,
    last_accepted_at timestamptz(3) not null,
    primary key (account_id, whole_family, period, slot)
  ) with (fillfactor = 50)`);
  await runner.query('create index usage_of_family on usage (family_id, period) where not whole_family');
  // finds the months whose slots can be merged; commits change none of its columns
  await runner.query('create index usage_in_slots on usage (period) where slot >= 0');
}

/** Mail of Postmesh itself. The key allows one message per recipient; its text is deleted once it is accepted. */
async function createSystemMails(runner: QueryRunner): Promise<void> {
  await runner.query(`create table system_mails (
    mail_id text not null,
    recipient text not null,
    name text not null,
    account_id uuid not null,
    kind text not null,
    content_id uuid,
    requested_at timestamptz(3) not null default now(),
    tries int not null default 0,
    next_try_at timestamptz(3) not null default now(),
    accepted_at timestamptz(3),
    primary key (mail_id, recipient)
  )`);
  await runner.query('create index system_mails_due on system_mails (next_try_at) where accepted_at is null');
  await runner.query(
    'create index system_mails_content on system_mails (content_id) where content_id is not null',
  );
}

/** Progress of work over many messages. */
async function createProgress(runner: QueryRunner): Promise<void> {
  await runner.query(`create table deleted_accounts (
    account_id uuid primary key,
    deleted_at timestamptz(3) not null default now(),
    canceled_at timestamptz(3)
  )`);
  await runner.query(
    'create table republish_passes (pass text primary key, checked_until timestamptz(3) not null)',
  );
}
