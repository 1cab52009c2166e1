import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Figures by template and by mailbox provider, for the console (decision 127): two dimensions of facts, and counters of
 * their own details. The previous release writes facts without the dimensions and folds only the details that it knows:
 * its totals stay right, and what it has folded is in no figure of these two.
 */
export class StatisticsGroups1764100001811 implements MigrationInterface {
  name = 'StatisticsGroups1764100001811';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table statistics_facts add column template_id uuid, add column provider text');
    // every row satisfies the wider list, so no row is checked, and the lock is short
    await runner.query(`alter table statistics_counters add column subject text,
      drop constraint if exists statistics_counters_detail_check,
      add constraint statistics_counters_detail_check check (detail in
        ('total', 'recipient', 'tags', 'recipient-tags', 'campaigns', 'templates', 'providers')) not valid`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
