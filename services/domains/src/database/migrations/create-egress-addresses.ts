import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Addresses of sources that operators made, which are in the records of the zone. */
export class CreateEgressAddresses1764100002330 implements MigrationInterface {
  name = 'CreateEgressAddresses1764100002330';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table egress_addresses (
      address text primary key,
      ehlo text not null,
      changed_at timestamptz not null default now(),
      kept_until timestamptz
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
