import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts of deleted recipients are deleted with their campaign, and drafts are selected whose content was checked by
 * another template language: both were scans of all accounts.
 */
export class FindWhatGoes1764100001410 implements MigrationInterface {
  name = 'FindWhatGoes1764100001410';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index campaign_forgotten_messages_campaign on campaign_forgotten_messages (campaign_id)',
    );
    await runner.query(
      `create index campaigns_language on campaigns (content_language) where status = 'draft'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
