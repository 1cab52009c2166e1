import type { MigrationInterface, QueryRunner } from 'typeorm';

const TIME = 'timestamptz(3)';

/** Tables of the operations on campaigns (ADR 55). */
export class CreateCampaignOperations1764100001160 implements MigrationInterface {
  name = 'CreateCampaignOperations1764100001160';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const STATEMENTS = [
  // Issues of the content, stored when it is written: a page of drafts reads and parses no content.
  `alter table campaigns add column content_issues text[] not null default '{}'`,
  // A sender with one of these domains reads null, also with concurrent writes of the campaign; the campaign keeps the copy.
  `create table deleted_domains (
    domain_id uuid primary key,
    deleted_at ${TIME} not null
  )`,
  // test messages of the last hour
  `create table campaign_tests (
    id uuid primary key,
    campaign_id uuid not null references campaigns on delete cascade,
    created_at ${TIME} not null,
    messages smallint not null
  )`,
  'create index campaign_tests_campaign on campaign_tests (campaign_id)',
];
