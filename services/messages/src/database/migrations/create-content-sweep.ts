import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Progress of the sweep for content that no row refers to. */
export class CreateContentSweep1764100000870 implements MigrationInterface {
  name = 'CreateContentSweep1764100000870';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create table content_sweep (single boolean primary key check (single), swept_until timestamptz(3) not null)',
    );
    // an installation without messages has no content to sweep
    await runner.query(
      `insert into content_sweep
       values (true, case when exists (select from send_requests) then to_timestamp(0) else now() end)`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
