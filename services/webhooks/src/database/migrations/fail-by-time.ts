import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Endpoints are disabled by time (spec 2-messages §18 rule 8). `failing_since`: the first failure after the last success,
 * or null; `last_failure`: the reason of the last call's failure; `failing_notified_at`: when members were mailed about
 * the failures; `disabled_at`: when the service disabled it, null when its owner did.
 */
export class FailByTime1764100001561 implements MigrationInterface {
  name = 'FailByTime1764100001561';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['webhooks', 'routes']) {
      await runner.query(`alter table ${table}
        add column failing_since timestamptz(3),
        add column last_failure text,
        add column failing_notified_at timestamptz(3),
        add column disabled_at timestamptz(3)`);
      await runner.query(
        `create index ${table}_failing on ${table} (failing_since) where failing_since is not null`,
      );
      await runner.query(
        `create index ${table}_disabled on ${table} (disabled_at) where disabled_at is not null`,
      );
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
