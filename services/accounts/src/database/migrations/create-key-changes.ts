import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How gateways learn of changed keys. The one row of `key_revision` is locked by every change until its
 * commit, so revisions have no gaps and become visible in their order.
 */
export class CreateKeyChanges1764000000120 implements MigrationInterface {
  name = 'CreateKeyChanges1764000000120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table key_revision (
      only_row boolean primary key default true check (only_row),
      revision bigint not null
    ) with (fillfactor = 10)`);
    await runner.query('insert into key_revision (revision) values (0)');
    await runner.query(`create table key_changes (
      revision bigint primary key,
      key_ids uuid[] not null,
      account_ids uuid[] not null,
      created_at timestamptz(3) not null default now()
    )`);
    await runner.query(`create table cache_leases (
      instance uuid primary key,
      acked_revision bigint not null,
      expires_at timestamptz not null
    ) with (fillfactor = 10)`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
