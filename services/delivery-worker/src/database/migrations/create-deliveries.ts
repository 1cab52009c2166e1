import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `deliveries` is a leased queue (libs/work/src/leased-queue): it holds only unfinished rows, so claims stay fast after any
 * number of sends. A row waits (until due_at), is leased (in flight in a worker) or is suspended (its account may not
 * send). `facts`: fields of its send request, for the attempt alone. Attempts are stored in `delivery_attempts` of the
 * messages service.
 */
export class CreateDeliveries1764000000100 implements MigrationInterface {
  name = 'CreateDeliveries1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table deliveries (
      id uuid primary key,
      account_id uuid not null,
      send_request_id uuid not null,
      recipient text not null,
      destination text collate "C" not null,
      state text not null default 'waiting' check (state in ('waiting', 'leased', 'suspended')),
      due_at timestamptz(3) not null,
      attempts int not null default 0,
      first_attempt_at timestamptz(3),
      expires timestamptz(3),
      lease_owner uuid,
      lease_token bigint not null default 0,
      leased_until timestamptz(3),
      suspended_until timestamptz(3),
      reason text not null,
      facts text not null
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`);
    await runner.query(`create index deliveries_due on deliveries (due_at) where state = 'waiting'`);
    await runner.query(
      `create index deliveries_flows on deliveries (account_id, destination, due_at) where state = 'waiting'`,
    );
    await runner.query(`create index deliveries_leased on deliveries (lease_owner) where state = 'leased'`);
    await runner.query(
      `create index deliveries_suspended on deliveries (account_id, id) where state = 'suspended'`,
    );
    await runner.query(
      `create index deliveries_suspended_until on deliveries (suspended_until) where state = 'suspended'`,
    );
    await runner.query(`create table workers (
      id uuid primary key,
      started_at timestamptz(3) not null,
      heartbeat_at timestamptz(3) not null
    )`);
    await runner.query(`create table account_states (
      account_id uuid primary key,
      state text not null,
      revision bigint not null,
      applied_revision bigint not null default 0,
      changed_at timestamptz(3) not null default now()
    )`);
    await runner.query(
      `create index account_states_to_apply on account_states (account_id)
       where applied_revision < revision and state <> 'active'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
