import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The last event of each delivery, retained until a lost topic of Kafka would have been noticed (decision 68). A row
 * per commit: events of one batch are alike, so that PostgreSQL compresses them to a sixth, and no index is written for
 * each of them.
 */
export class KeepOutcomes1764100001260 implements MigrationInterface {
  name = 'KeepOutcomes1764100001260';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table kept_outcomes (
      kept_at timestamptz(3) not null default now(),
      message_ids uuid[] not null,
      envelopes text not null
    )`);
    await runner.query('create index kept_outcomes_kept_at on kept_outcomes using brin (kept_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
