import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The process of a worker, and the number of consecutive workers that died with a row in flight (ADR 69). */
export class CountCrashes1764100001300 implements MigrationInterface {
  name = 'CountCrashes1764100001300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table campaign_batches add column crashes int not null default 0');
    await runner.query('alter table workers add column process text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
