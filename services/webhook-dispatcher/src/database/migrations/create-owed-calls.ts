import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `owed_calls`: a row stands here exactly as long as its call is owed. It is taken by a lease; `lease` counts the
 * takings, and only the latest taker may write down what came of it. `attempts`: what was tried, kept for a week.
 */
export class CreateOwedCalls1764000000600 implements MigrationInterface {
  name = 'CreateOwedCalls1764000000600';

  async up(runner: QueryRunner): Promise<void> {
    // No index names a column that a lease changes and half of each page is free: taking a call touches no index.
    await runner.query(`create table owed_calls (
      id uuid primary key,
      webhook_id uuid not null,
      account_id uuid,
      trace text,
      host text collate "C" not null,
      url text not null,
      sealed_secret text not null,
      webhook_message_id text not null,
      event_type text not null,
      body text not null,
      attempts smallint not null default 0,
      due_at timestamptz not null,
      reason text not null default 'not tried yet',
      lease int not null default 0,
      leased_by uuid,
      leased_until timestamptz
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`);
    await runner.query('create index owed_calls_host_due on owed_calls (host, due_at)');
    await runner.query('create index owed_calls_due on owed_calls (due_at)');
    await runner.query('create index owed_calls_webhook on owed_calls (webhook_id)');
    await runner.query(`create table attempts (
      call_id uuid not null,
      attempt smallint not null,
      webhook_id uuid not null,
      event_type text not null,
      started_at timestamptz not null,
      duration_ms int not null,
      status smallint,
      reason text,
      outcome text not null check (outcome in ('succeeded', 'retried', 'dropped')),
      primary key (call_id, attempt)
    )`);
    // rows come in the order of time, so a block range index is enough to prune by
    await runner.query('create index attempts_started_at on attempts using brin (started_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
