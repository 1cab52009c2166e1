import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which secret key hashed an API key: what rests on one that is to be removed can then be counted and found. */
export class AddPepperIds1764100000402 implements MigrationInterface {
  name = 'AddPepperIds1764100000402';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys add column pepper_id text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
