import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * DKIM rotation, and the publication of keys in the managed zone. Existing domains are due at once: the first step of
 * each only computes when its rotation is due. Existing keys count as not yet published; a zone with updates then
 * publishes them.
 */
export class AddDkimRotation1764100000300 implements MigrationInterface {
  name = 'AddDkimRotation1764100000300';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const STATEMENTS = [
  `alter table domains
    add column rotation_started_at timestamptz(3),
    add column rotation_verified_at timestamptz(3),
    add column rotation_switched_at timestamptz(3),
    add column rotation_next_at timestamptz(3) not null default now(),
    add column rotation_reason text,
    add check (rotation_started_at is null or rotation_switched_at is null),
    add check (rotation_verified_at is null or rotation_started_at is not null)`,
  `create index domains_rotation_due on domains (rotation_next_at) where dns_mode = 'managed'`,
  'alter table dkim_keys add column published_at timestamptz(3)',
  'create index dkim_keys_unpublished on dkim_keys (created_at, id) where published_at is null',
  // the token of a deleted domain is kept until its names are out of the zone
  `create table alias_withdrawals (
    domain_token text primary key,
    created_at timestamptz(3) not null
  )`,
  // one row: the state of the publication of the zone
  `create table zone_publication (
    zone text primary key,
    failures int not null,
    next_at timestamptz(3) not null,
    problem text,
    failing_since timestamptz(3)
  )`,
];
