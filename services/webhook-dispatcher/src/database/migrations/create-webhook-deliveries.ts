import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `webhook_deliveries`: a row exists until its webhook accepted it, or it was given up; a leased queue
 * (libs/work/src/leased-queue). `attempts`: attempts, kept for a week and shown by the operator interface.
 */
export class CreateWebhookDeliveries1764000000600 implements MigrationInterface {
  name = 'CreateWebhookDeliveries1764000000600';

  async up(runner: QueryRunner): Promise<void> {
    // texts compare by bytes, since a host has no language
    await runner.query(`create table webhook_deliveries (
      id uuid primary key,
      account_id uuid not null,
      webhook_id uuid not null,
      host text collate "C" not null,
      trace text,
      webhook_message_id text not null,
      event_type text not null,
      body text not null,
      state text not null default 'waiting' check (state in ('waiting', 'leased')),
      due_at timestamptz(3) not null,
      attempts int not null default 0,
      first_attempt_at timestamptz(3),
      lease_owner uuid,
      lease_token bigint not null default 0,
      leased_until timestamptz(3),
      reason text not null
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`);
    await runner.query(
      `create index webhook_deliveries_due on webhook_deliveries (due_at) where state = 'waiting'`,
    );
    await runner.query(
      `create index webhook_deliveries_flows on webhook_deliveries (account_id, host, due_at)
       where state = 'waiting'`,
    );
    await runner.query(
      `create index webhook_deliveries_leased on webhook_deliveries (lease_owner) where state = 'leased'`,
    );
    await runner.query('create index webhook_deliveries_webhook on webhook_deliveries (webhook_id)');
    await runner.query(`create table workers (
      id uuid primary key,
      started_at timestamptz(3) not null,
      heartbeat_at timestamptz(3) not null
    )`);
    await runner.query(`create table attempts (
      delivery_id uuid not null,
      attempt int not null,
      webhook_id uuid not null,
      event_type text not null,
      host text not null,
      started_at timestamptz(3) not null,
      duration_ms int not null,
      status int,
      reason text,
      outcome text not null check (outcome in ('succeeded', 'retried', 'dropped')),
      primary key (delivery_id, attempt)
    )`);
    // rows are inserted in the order of time, so a block range index is enough for pruning
    await runner.query('create index attempts_started_at on attempts using brin (started_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
