import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The dialect of the calls of a webhook, and its secret; null is our own form, the only one that earlier releases know. */
export class AddWebhookDialects1764400000020 implements MigrationInterface {
  name = 'AddWebhookDialects1764400000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhooks add column dialect text, add column sealed_dialect_secret text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
