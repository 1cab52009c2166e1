import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fair claims (ADR 37). `ready`: due now, and claimable; `waiting` is only the future, or rows that the release before
 * inserted. `group_key`: the MX group by which deliveries are claimed and limited; null in rows of the release before,
 * until they are ready. `lane`: 0 single, 1 bulk. `ends_at`: from then on it is claimed even if its group is at its
 * limit, to be ended. `weight`: how many deliveries of an account are claimed per round when other accounts have some.
 * The release before claims by `deliveries_due` and `deliveries_flows`, which stay; the second also finds the waiting
 * rows of an account that may not send.
 */
export class ClaimInTurns1764100000900 implements MigrationInterface {
  name = 'ClaimInTurns1764100000900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table deliveries
      add column group_key text collate "C",
      add column lane smallint not null default 0,
      add column ends_at timestamptz(3),
      drop constraint deliveries_state_check`);
    await runner.query(`alter table deliveries add constraint deliveries_state_check
      check (state in ('ready', 'waiting', 'leased', 'suspended', 'canceled')) not valid`);
    await runner.query(
      `create index deliveries_ready on deliveries (group_key, lane, account_id, due_at) where state = 'ready'`,
    );
    await runner.query(
      `create index deliveries_ready_account on deliveries (account_id) where state = 'ready'`,
    );
    await runner.query(
      `create index deliveries_ready_ends on deliveries (ends_at) where state = 'ready' and ends_at is not null`,
    );
    await runner.query(
      'alter table account_states add column weight int not null default 1 check (weight between 1 and 1000)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
