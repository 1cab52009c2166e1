import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the state machine keeps besides: what the counters said when an operator let a campaign go on that bounced, or
 * was complained of, too much; and how many contacts were checked since Send, which a restart of the check goes on from.
 */
export class AddCampaignChecks1764100001170 implements MigrationInterface {
  name = 'AddCampaignChecks1764100001170';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table campaigns
      add column rate_base jsonb,
      add column checked_contacts int not null default 0,
      add column invalid_contacts int not null default 0`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
