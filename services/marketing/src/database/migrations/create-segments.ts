import type { MigrationInterface, QueryRunner } from 'typeorm';

const TIME = 'timestamptz(3)';

/**
 * Saved filters over contacts, and the campaigns that are sent to them (decision 162). Their indexes are made by
 * `index-segments`, which blocks no writes.
 */
export class CreateSegments1764100002040 implements MigrationInterface {
  name = 'CreateSegments1764100002040';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const STATEMENTS = [
  `create table segments (
    id uuid primary key,
    account_id uuid not null,
    created_at ${TIME} not null,
    updated_at ${TIME} not null,
    name text not null,
    filter jsonb not null,
    contacts int,
    counted_at ${TIME}
  )`,
  'create index segments_account on segments (account_id)',
  `create table campaign_segments (
    campaign_id uuid not null references campaigns on delete cascade,
    segment_id uuid not null references segments on delete cascade,
    primary key (campaign_id, segment_id)
  )`,
  'create index campaign_segments_segment on campaign_segments (segment_id)',
];
