import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an account may send per month, and rates of its own. */
export class AddAccountLimits1764000000140 implements MigrationInterface {
  name = 'AddAccountLimits1764000000140';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table accounts
      add column monthly_credit bigint not null default 0 check (monthly_credit between 0 and 1000000000),
      add column rate_limits jsonb`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
