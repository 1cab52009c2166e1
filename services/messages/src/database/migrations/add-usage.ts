import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What accounts sent, by calendar month. A row counts for the account itself or for its whole family (the top-level
 * account and all its children). Commits that run at the same time write to different slots, so that none waits for
 * another; the sum of the slots is the count.
 */
export class AddUsage1764000000130 implements MigrationInterface {
  name = 'AddUsage1764000000130';

  async up(runner: QueryRunner): Promise<void> {
    // half of each page stays free: a row is written with every commit, and its new version should fit beside it
    await runner.query(`create table usage (
      account_id uuid not null,
      whole_family boolean not null,
      period text not null check (period ~ '^\\d{4}-\\d{2}$'),
      slot smallint not null,
      family_id uuid not null,
      accepted bigint not null,
      last_accepted_at timestamptz(3) not null,
      primary key (account_id, whole_family, period, slot)
    ) with (fillfactor = 50)`);
    await runner.query('create index usage_of_family on usage (family_id, period) where not whole_family');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
