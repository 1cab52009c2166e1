import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The whole of a URL with a password; `url` shows it without. A job seals what is there. */
export class AddSealedUrls1764100001562 implements MigrationInterface {
  name = 'AddSealedUrls1764100001562';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhooks add column sealed_url text');
    await runner.query('alter table routes add column sealed_url text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
