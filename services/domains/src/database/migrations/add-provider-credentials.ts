import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Credentials of the operator for the figures of mailbox providers. */
export class AddProviderCredentials1764100002240 implements MigrationInterface {
  name = 'AddProviderCredentials1764100002240';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table provider_credentials (
      provider text primary key,
      client_id text not null,
      secret text not null,
      given_by text not null,
      given_at timestamptz(3) not null
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
