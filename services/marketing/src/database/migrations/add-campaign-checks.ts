import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Further columns of the state machine: the counters at the time when an operator resumed a campaign with too many
 * bounces or complaints; and the number of contacts checked since Send, from which a restarted check continues.
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
