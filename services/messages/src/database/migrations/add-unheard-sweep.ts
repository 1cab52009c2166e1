import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Up to when the sweep for unheard send requests has looked, one row per pass. */
export class AddUnheardSweep1764000000110 implements MigrationInterface {
  name = 'AddUnheardSweep1764000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create table unheard_sweeps (pass text primary key, swept_until timestamptz(3) not null)`,
    );
    // rows come in the order of time, so a block range index finds a minute of them
    await runner.query('create index send_requests_created_at on send_requests using brin (created_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
