import type { MigrationInterface, QueryRunner } from 'typeorm';

class CreateContent1764000000021 implements MigrationInterface {
  name = 'CreateContent1764000000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table content (id uuid primary key, bytes bytea not null)');
    // uncompressed, so that a slice is read without the rest; attachments do not compress anyway
    await runner.query('alter table content alter column bytes set storage external');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

export const BLOB_MIGRATIONS = [CreateContent1764000000021] as const;
