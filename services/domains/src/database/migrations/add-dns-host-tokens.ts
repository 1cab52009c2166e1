import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens of DNS hosts, by which records are written at the request of an account. */
export class AddDnsHostTokens1764100002040 implements MigrationInterface {
  name = 'AddDnsHostTokens1764100002040';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const STATEMENTS = [
  `create table dns_host_tokens (
    id uuid primary key,
    account_id uuid not null,
    zone text not null,
    host text not null,
    token text not null,
    access_key_id text,
    allow_rotation boolean not null,
    added_by text not null,
    created_at timestamptz(3) not null,
    rotation_next_at timestamptz(3) not null,
    rotation_problem text,
    writing_until timestamptz(3),
    unique (account_id, zone)
  )`,
  'create index dns_host_tokens_due on dns_host_tokens (rotation_next_at) where allow_rotation',
];
