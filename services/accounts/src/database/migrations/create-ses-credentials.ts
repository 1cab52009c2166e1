import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Access keys for signed requests in the dialect of Amazon SES: at most one for each API key, gone with it. */
export class CreateSesCredentials1764400000021 implements MigrationInterface {
  name = 'CreateSesCredentials1764400000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table ses_credentials (
      api_key_id uuid primary key references api_keys (id) on delete cascade,
      access_key_id text not null unique,
      sealed_secret text not null,
      created_at timestamptz(3) not null
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
