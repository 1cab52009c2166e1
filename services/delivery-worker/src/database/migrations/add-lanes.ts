import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Due deliveries can be found destination by destination, and a worker knows how much memory a message takes. */
export class AddLanes1764000000101 implements MigrationInterface {
  name = 'AddLanes1764000000101';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index deliveries_lanes on deliveries (destination, due_at) where state = 'waiting'`,
    );
    await runner.query('alter table messages add column size int not null default 0');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
