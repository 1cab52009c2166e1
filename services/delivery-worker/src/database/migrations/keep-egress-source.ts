import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The source address of a delivery's attempts: its retries leave from the same one, which greylists count by. */
export class KeepEgressSource1764100000940 implements MigrationInterface {
  name = 'KeepEgressSource1764100000940';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deliveries add column source text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
