import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The search of members walks messages of campaigns, newest first (decision 120): an index entry for these alone.
 * `messages_newest` is used by the previous release (the ends of its segments), and may be dropped by the next one.
 */
export class SearchCampaigns1764100001800 implements MigrationInterface {
  name = 'SearchCampaigns1764100001800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index messages_of_campaigns on messages (account_id, created_at desc, id desc)
      where campaign_id is not null`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
