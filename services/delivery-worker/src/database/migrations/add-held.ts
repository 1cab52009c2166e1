import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Deliveries of accounts that may not send are held: they are waiting for no time, but for their account. The version
 * before this one knows no such rows and leaves them alone.
 */
export class AddHeld1764000000110 implements MigrationInterface {
  name = 'AddHeld1764000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table account_states (
      account_id uuid primary key,
      state text not null,
      revision bigint not null,
      applied_revision bigint not null default 0
    )`);
    await runner.query(
      `create index account_states_to_apply on account_states (account_id)
       where applied_revision < revision and state <> 'active'`,
    );
    await runner.query('alter table deliveries drop constraint deliveries_state_check');
    // wider than the one before, so the rows need no look
    await runner.query(
      `alter table deliveries add constraint deliveries_state_check
       check (state in ('waiting', 'leased', 'held')) not valid`,
    );
    await runner.query(
      'alter table deliveries add column held_for uuid, add column held_until timestamptz(3)',
    );
    await runner.query(`create index deliveries_held_for on deliveries (held_for, id) where state = 'held'`);
    await runner.query(`create index deliveries_held_until on deliveries (held_until) where state = 'held'`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
