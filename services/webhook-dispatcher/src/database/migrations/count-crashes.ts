import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The process of a worker, and the number of consecutive workers that died with a row in flight (ADR 69).
 * `unknown`: an attempt with an unknown end, since its dispatcher died.
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
