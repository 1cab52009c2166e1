import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Recipient of bounce reports for domains without a value of their own (spec 2-messages §15.6). */
export class AddDsnDefault1764100001030 implements MigrationInterface {
  name = 'AddDsnDefault1764100001030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table account_settings add column dsn_recipient text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
