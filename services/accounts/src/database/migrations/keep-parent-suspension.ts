import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An operator's suspension of a sub-account no longer ends the parent's for good. */
export class KeepParentSuspension1764000000180 implements MigrationInterface {
  name = 'KeepParentSuspension1764000000180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table accounts add column parent_suspension jsonb');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
