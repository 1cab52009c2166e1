import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of an attempt: from which of our addresses it left, and whether the message may have arrived although nobody said so. */
export class UncertainAttempts1764100000940 implements MigrationInterface {
  name = 'UncertainAttempts1764100000940';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table delivery_attempts add column source text,
      add column uncertain bool not null default false`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
