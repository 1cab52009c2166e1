import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The secret key that hashed an API key, so that the hashes of a key can be counted before its removal. */
export class AddPepperIds1764100000402 implements MigrationInterface {
  name = 'AddPepperIds1764100000402';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys add column pepper_id text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
