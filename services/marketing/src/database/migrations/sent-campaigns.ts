import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The console lists the campaigns of a period with their figures (decision 127). */
export class SentCampaigns1764100001810 implements MigrationInterface {
  name = 'SentCampaigns1764100001810';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index campaigns_sent on campaigns (account_id, started_at desc, id desc)
      where started_at is not null`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
