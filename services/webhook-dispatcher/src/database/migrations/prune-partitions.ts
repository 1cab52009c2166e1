import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows stored without a partition of their day are pruned by time, only in the default partitions, which are usually
 * empty: partitions of days are dropped as a whole. `set_aside_endpoints`: webhooks and routes with deliveries that were
 * set aside (ADR 72), and the progress of their replay.
 */
export class PrunePartitions1764100001400 implements MigrationInterface {
  name = 'PrunePartitions1764100001400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index webhook_attempts_else_at on webhook_attempts_else (started_at)');
    await runner.query('create index ended_deliveries_else_at on ended_deliveries_else (ended_at)');
    // every existing row satisfies the wider list, so none is checked
    await runner.query(`alter table ended_deliveries drop constraint if exists ended_deliveries_outcome_check,
      add constraint ended_deliveries_outcome_check
        check (outcome in ('succeeded', 'dropped', 'stopped', 'set-aside')) not valid`);
    await runner.query(`create table set_aside_endpoints (
      endpoint_id uuid primary key,
      account_id uuid not null,
      first_at timestamptz(3) not null,
      last_at timestamptz(3) not null,
      told_until text,
      leased_until timestamptz not null default to_timestamp(0)
    ) with (fillfactor = 70)`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
