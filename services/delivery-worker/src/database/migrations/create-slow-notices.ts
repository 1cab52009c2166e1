import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSlowNotices1764100002010 implements MigrationInterface {
  name = 'CreateSlowNotices1764100002010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table slow_notices (
      account_id uuid primary key,
      noticed_at timestamptz not null
    )`);
    await runner.query(
      `comment on table slow_notices is 'Accounts whose members were mailed that a provider holds up their mail'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
