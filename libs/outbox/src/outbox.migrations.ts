import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A row stands here exactly as long as its event is not yet published. */
class CreateOutbox1764000000001 implements MigrationInterface {
  name = 'CreateOutbox1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table outbox (
      id bigint generated always as identity primary key,
      stream text not null,
      key text not null,
      envelope text not null,
      created_at timestamptz not null default now(),
      attempts int not null default 0,
      last_error text
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/** Which consumer has taken which event; written in the transaction of what the event caused. */
class CreateInbox1764000000002 implements MigrationInterface {
  name = 'CreateInbox1764000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table inbox (
      consumer text not null,
      event_id uuid not null,
      received_at timestamptz not null default now(),
      primary key (event_id, consumer)
    )`);
    // rows come in the order of time, so a block range index is enough to prune by
    await runner.query('create index inbox_received_at on inbox using brin (received_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/** To be put first in the migrations of every service that publishes or hears events. */
export const OUTBOX_MIGRATIONS = [CreateOutbox1764000000001, CreateInbox1764000000002] as const;
