import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The sweep of open messages (decision 68) continues after a message instead of a time: many may be accepted in one
 * millisecond. Null: all messages of `checked_until` are still due.
 */
export class CheckOpenMessages1764100001240 implements MigrationInterface {
  name = 'CheckOpenMessages1764100001240';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table republish_passes add column checked_id uuid');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
