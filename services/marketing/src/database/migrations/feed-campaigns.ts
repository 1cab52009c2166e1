import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes and columns of the feeder and the daily limit (spec 3-marketing §4.4, §7.2). */
export class FeedCampaigns1764100001180 implements MigrationInterface {
  name = 'FeedCampaigns1764100001180';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const STATEMENTS = [
  // the day, YYYY-MM-DD, whose limit counts its taken recipients; null: it has no taken, unrecorded recipient
  'alter table campaign_batches add column reserved_day text',
  `create index campaign_batches_taken on campaign_batches (campaign_id)
    where state = 'pending' and reserved_day is not null`,
  `create index campaigns_sending on campaigns (account_id, started_at) where status in ('sending', 'paused')`,
];
