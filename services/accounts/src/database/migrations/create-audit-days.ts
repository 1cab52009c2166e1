import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The entries of changes by API keys that an account has of one day: a row for each account, which begins anew. */
const AUDIT_DAYS = `
  create table audit_days (
    account_id uuid primary key,
    day date not null,
    entries integer not null
  ) with (fillfactor = 50);`;

export class CreateAuditDays1764200000734 implements MigrationInterface {
  name = 'CreateAuditDays1764200000734';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AUDIT_DAYS);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
