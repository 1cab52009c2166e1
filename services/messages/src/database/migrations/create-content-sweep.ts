import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the search for content that no row names has come. */
export class CreateContentSweep1764100000870 implements MigrationInterface {
  name = 'CreateContentSweep1764100000870';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create table content_sweep (single boolean primary key check (single), swept_until timestamptz(3) not null)',
    );
    await runner.query('insert into content_sweep values (true, to_timestamp(0))');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
