import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Calls of routes, attempts by day, ended deliveries for replays, and the states of endpoints (ADR 51).
 *
 * `webhook_deliveries.target` is null for a webhook, as in rows of the previous release; `route` is JSON. Rows of the
 * previous release stay in `attempts` for a week; `webhook_attempts` and `ended_deliveries` have a partition per day,
 * which is dropped as a whole. Rows of a day without a partition are in `…_else`.
 */
export class KeepAttemptsByDay1764100001100 implements MigrationInterface {
  name = 'KeepAttemptsByDay1764100001100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table webhook_deliveries
      add column target text check (target = 'route'),
      add column route text,
      add column requested_at timestamptz(3) default now(),
      add column replay_of uuid`);
    await runner.query(
      'create index webhook_deliveries_replays on webhook_deliveries (replay_of) where replay_of is not null',
    );
    await runner.query(`create table webhook_attempts (
      delivery_id uuid not null,
      attempt int not null,
      target text not null check (target in ('webhook', 'route')),
      endpoint_id uuid not null,
      account_id uuid not null,
      event_type text not null,
      host text not null,
      started_at timestamptz(3) not null,
      duration_ms int not null,
      status int,
      redirects int not null,
      reason text,
      response text,
      outcome text not null check (outcome in ('succeeded', 'retried', 'dropped'))
    ) partition by range (started_at)`);
    await runner.query('create index on webhook_attempts (delivery_id)');
    await runner.query('create index on webhook_attempts (endpoint_id, started_at)');
    await runner.query('create table webhook_attempts_else partition of webhook_attempts default');
    await runner.query(`create table ended_deliveries (
      id uuid not null,
      account_id uuid not null,
      target text not null check (target in ('webhook', 'route')),
      endpoint_id uuid not null,
      host text not null,
      trace text,
      webhook_message_id text not null,
      event_type text not null,
      body text,
      route text,
      requested_at timestamptz(3) not null,
      ended_at timestamptz(3) not null,
      outcome text not null check (outcome in ('succeeded', 'dropped', 'stopped')),
      attempts int not null,
      replay_of uuid
    ) partition by range (ended_at)`);
    await runner.query('create index on ended_deliveries (id)');
    await runner.query('create index on ended_deliveries (endpoint_id, ended_at, id)');
    await runner.query('create table ended_deliveries_else partition of ended_deliveries default');
    await runner.query(`create table endpoint_states (
      endpoint_id uuid primary key,
      target text not null,
      account_id uuid not null,
      host text not null,
      unanswered int not null,
      opened_at timestamptz(3),
      answered_at timestamptz(3),
      last_failure_at timestamptz(3),
      last_failure text,
      updated_at timestamptz(3) not null
    ) with (fillfactor = 80)`);
    await runner.query('create index endpoint_states_updated on endpoint_states (updated_at)');
    await runner.query(
      'create index endpoint_states_unanswered on endpoint_states (opened_at) where unanswered > 0',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
