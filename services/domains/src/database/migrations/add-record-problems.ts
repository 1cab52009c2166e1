import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The problem of a record, in words: `{code, found, wanted, advice}`; null = right, or not judged since. */
export class AddRecordProblems1764100000200 implements MigrationInterface {
  name = 'AddRecordProblems1764100000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table dns_records add column problem jsonb');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
