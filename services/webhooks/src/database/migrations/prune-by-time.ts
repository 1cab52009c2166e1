import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows of twelve hours reuse the space of pruned ones, so that a block soon has old and new rows: a block range index
 * then selects every block, and each batch of a prune read the whole table. A b-tree by time is appended to.
 */
export class PruneByTime1764100001390 implements MigrationInterface {
  name = 'PruneByTime1764100001390';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index published_receptions_at on published_receptions (published_at)');
    await runner.query('drop index published_receptions_published_at');
    await runner.query('create index grouped_messages_at on grouped_messages (called_at)');
    await runner.query('drop index grouped_messages_called_at');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
