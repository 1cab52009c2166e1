import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The message that a suppression came of: the console leads to it. Null for those of before, and for those by hand. */
export class MessagesBehindSuppressions1764300000020 implements MigrationInterface {
  name = 'MessagesBehindSuppressions1764300000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table suppressions add column message_id uuid');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
