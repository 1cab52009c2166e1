import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `suppressions`: this service's copy of the suppression lists of all accounts, for the probe that each claim makes
 * (suppressions/suppression-copy.ts). `suppressed_until` is null once the suppression was removed. A row stays for a
 * while after it has ended, so that a late change finds the newer one. `suppression_copy` has one row once all lists
 * have been read.
 */
export class CreateSuppressions1764100000510 implements MigrationInterface {
  name = 'CreateSuppressions1764100000510';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table suppressions (
      account_id uuid not null,
      domain text collate "C" not null,
      recipient text collate "C" not null,
      suppressed_until timestamptz(3),
      revision bigint not null,
      learnt_at timestamptz(3) not null default now(),
      primary key (account_id, domain, recipient)
    ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000)`);
    await runner.query(
      'create index suppressions_ended on suppressions (coalesce(suppressed_until, learnt_at))',
    );
    // of a delivery: the domain by which its recipient is looked up
    await runner.query('alter table deliveries add column domain text collate "C"');
    await runner.query(`create table suppression_copy (
      only_row bool primary key default true check (only_row),
      read_at timestamptz(3) not null
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
