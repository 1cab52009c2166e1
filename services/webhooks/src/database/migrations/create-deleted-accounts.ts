import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts that are gone: a request of theirs that comes late must leave no webhook behind. */
export class CreateDeletedAccounts1764000000502 implements MigrationInterface {
  name = 'CreateDeletedAccounts1764000000502';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table deleted_accounts (
      account_id uuid primary key,
      heard_at timestamptz(3) not null default now()
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
