import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleted accounts. The row stays, so that no row is ever written for them; `purged_at`: all of their rows are removed. */
export class CreateDeletedAccounts1764100001130 implements MigrationInterface {
  name = 'CreateDeletedAccounts1764100001130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table deleted_accounts (
      account_id uuid primary key,
      deleted_at timestamptz(3) not null default now(),
      purged_at timestamptz(3)
    )`);
    await runner.query(
      'create index deleted_accounts_due on deleted_accounts (deleted_at) where purged_at is null',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
