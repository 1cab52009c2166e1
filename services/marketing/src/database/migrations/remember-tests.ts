import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Test messages that are sent once however often they are asked for, and issues of contents by language (ADR 62). */
export class RememberTests1764100001210 implements MigrationInterface {
  name = 'RememberTests1764100001210';

  async up(runner: QueryRunner): Promise<void> {
    // a request with an idempotency key that is made again gets the same messages
    await runner.query(
      'alter table campaign_tests add column request_key text, add column message_ids uuid[]',
    );
    // what the issues of the content were found with; null: not looked at since the draft was made
    await runner.query('alter table campaigns add column content_language text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
