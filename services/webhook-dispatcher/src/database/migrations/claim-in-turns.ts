import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fair claims (ADR 37). `ready`: due now, and claimable; `waiting` contains future rows, and rows stored by the
 * previous release. `group_key`: the host by which deliveries are claimed and bounded; null in rows of the previous
 * release, until they become ready. The previous release claims by `webhook_deliveries_due` and
 * `webhook_deliveries_flows`, which stay until the next one.
 */
export class ClaimInTurns1764100000901 implements MigrationInterface {
  name = 'ClaimInTurns1764100000901';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table webhook_deliveries
      add column group_key text collate "C",
      add column lane smallint not null default 0,
      add column ends_at timestamptz(3),
      drop constraint webhook_deliveries_state_check`);
    await runner.query(`alter table webhook_deliveries add constraint webhook_deliveries_state_check
      check (state in ('ready', 'waiting', 'leased')) not valid`);
    await runner.query(
      `create index webhook_deliveries_ready on webhook_deliveries (group_key, lane, account_id, due_at)
       where state = 'ready'`,
    );
    await runner.query(
      `create index webhook_deliveries_ready_ends on webhook_deliveries (ends_at)
       where state = 'ready' and ends_at is not null`,
    );
    // for the metric of the oldest due delivery
    await runner.query(
      `create index webhook_deliveries_ready_due on webhook_deliveries (due_at) where state = 'ready'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
