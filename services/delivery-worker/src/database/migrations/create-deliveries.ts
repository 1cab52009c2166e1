import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `deliveries` holds only what is not finished, so claims stay fast however much was sent. A row is either
 * waiting (nobody owns it, due_at says when it may go) or leased (a worker has it; lease_token fences off
 * whoever held it before). What was done stands in `attempts`.
 */
export class CreateDeliveries1764000000100 implements MigrationInterface {
  name = 'CreateDeliveries1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table messages (
      send_request_id uuid primary key,
      account_id uuid not null,
      domain_id uuid not null,
      domain text not null,
      sender text not null,
      subject text not null,
      message_id_header text not null,
      content_id uuid not null,
      return_path_host text not null,
      expires timestamptz(3),
      sandbox text,
      accepted_at timestamptz(3) not null
    )`);
    await runner.query(`create table deliveries (
      id uuid primary key,
      send_request_id uuid not null,
      recipient text not null,
      destination text not null,
      state text not null default 'waiting' check (state in ('waiting', 'leased')),
      due_at timestamptz(3) not null,
      attempt int not null default 0,
      first_attempt_at timestamptz(3),
      lease_owner uuid,
      lease_token bigint not null default 0,
      lease_until timestamptz(3),
      reason text not null default 'waits for its first attempt'
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`);
    await runner.query(`create index deliveries_due on deliveries (due_at) where state = 'waiting'`);
    await runner.query(`create index deliveries_leased on deliveries (lease_owner) where state = 'leased'`);
    await runner.query(`create table attempts (
      delivery_id uuid not null,
      attempt int not null,
      outcome text not null,
      started_at timestamptz(3),
      finished_at timestamptz(3) not null,
      smtp_code int,
      enhanced_status_code text,
      response text,
      command text,
      classification text,
      remote_host text,
      tls boolean not null default false,
      uncertain boolean not null default false,
      primary key (delivery_id, attempt, outcome)
    )`);
    await runner.query('create index attempts_finished on attempts using brin (finished_at)');
    await runner.query(`create table workers (
      id uuid primary key,
      started_at timestamptz(3) not null,
      heartbeat_at timestamptz(3) not null
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
