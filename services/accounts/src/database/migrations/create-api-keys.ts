import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApiKeys1764000000110 implements MigrationInterface {
  name = 'CreateApiKeys1764000000110';

  async up(runner: QueryRunner): Promise<void> {
    // secret_hash: HMAC-SHA-256 of the whole secret with the server's pepper; the secret is nowhere
    await runner.query(`create table api_keys (
      id uuid primary key,
      account_id uuid not null references accounts (id),
      label text not null,
      public_key text not null unique,
      secret_hash bytea not null unique,
      ip_allow_list text[] not null default '{}',
      created_by uuid references users (id),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    )`);
    await runner.query('create index api_keys_page on api_keys (account_id, created_at desc, id desc)');
    await runner.query(`create table api_key_scopes (
      id uuid primary key,
      api_key_id uuid not null references api_keys (id) on delete cascade,
      position smallint not null,
      scope text not null,
      domain_id uuid,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      unique (api_key_id, scope)
    )`);
    await runner.query(
      'create index api_key_scopes_domain on api_key_scopes (domain_id) where domain_id is not null',
    );
    // remembers deletions, so that a key granted a scope at that very moment does not keep it
    await runner.query(`create table deleted_domains (
      domain_id uuid primary key,
      deleted_at timestamptz(3) not null default now()
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
