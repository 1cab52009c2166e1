import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts of an attempt: its egress address, and whether the message may have arrived without a reply. */
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
