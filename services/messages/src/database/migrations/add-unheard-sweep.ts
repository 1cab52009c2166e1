import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Up to when the sweep for unheard submissions has looked, one row per pass. */
export class AddUnheardSweep1764000000110 implements MigrationInterface {
  name = 'AddUnheardSweep1764000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create table unheard_sweeps (pass text primary key, swept_until timestamptz(3) not null)`,
    );
    // rows come in the order of time, so a block range index finds a minute of them
    await runner.query('create index submissions_created_at on submissions using brin (created_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
