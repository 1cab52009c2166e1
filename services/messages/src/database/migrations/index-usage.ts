import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the months whose slots can be put together; what commits write changes none of its columns. */
export class IndexUsage1764000000150 implements MigrationInterface {
  name = 'IndexUsage1764000000150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index usage_in_slots on usage (period) where slot >= 0');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
