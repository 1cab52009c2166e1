import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Test messages that are sent once for repeated requests, and issues of contents by language (ADR 62). */
export class RememberTests1764100001210 implements MigrationInterface {
  name = 'RememberTests1764100001210';

  async up(runner: QueryRunner): Promise<void> {
    // a repeated request with an idempotency key gets the same messages
    await runner.query(
      'alter table campaign_tests add column request_key text, add column message_ids uuid[]',
    );
    // the language that determined the issues of the content; null: not checked since the draft was created
    await runner.query('alter table campaigns add column content_language text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
