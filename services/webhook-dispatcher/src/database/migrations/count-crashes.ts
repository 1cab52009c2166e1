import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which process a worker is, and how many workers in a row died with a row in flight (ADR 69).
 * `unknown`: an attempt whose end nobody knows, as its dispatcher died.
 */
export class CountCrashes1764100001290 implements MigrationInterface {
  name = 'CountCrashes1764100001290';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_deliveries add column crashes int not null default 0');
    await runner.query('alter table workers add column process text');
    await runner.query(`alter table webhook_attempts drop constraint webhook_attempts_outcome_check,
      add constraint webhook_attempts_outcome_check
        check (outcome in ('succeeded', 'retried', 'dropped', 'unknown')) not valid`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
