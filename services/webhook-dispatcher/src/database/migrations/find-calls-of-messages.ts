import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Larger partitions are left out: building an index there would keep attempts from being recorded. */
const INDEXED_BYTES = 64 * 1_048_576;

/**
 * The page of a message lists its calls (decision 167). Rows of the previous release have no `message_id`, and are in
 * neither index. A partition that is too large to be indexed now has none of them until it expires; calls that end on
 * the day of the migration are then found by reading it. Ids of messages grow with time, so that both indexes grow at
 * their end.
 */
export class FindCallsOfMessages1764500000080 implements MigrationInterface {
  name = 'FindCallsOfMessages1764500000080';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_deliveries add column message_id uuid');
    await runner.query(
      `create index webhook_deliveries_message on webhook_deliveries (message_id) where message_id is not null`,
    );
    await runner.query('alter table ended_deliveries add column message_id uuid');
    await runner.query(
      `create index ended_deliveries_message on only ended_deliveries (message_id) where message_id is not null`,
    );
    const small: { name: string }[] = await runner.query(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'ended_deliveries'::regclass and pg_relation_size(inhrelid) < ${INDEXED_BYTES}`,
    );
    for (const { name } of small) {
      await runner.query(`create index ${name}_message on ${name} (message_id) where message_id is not null`);
      await runner.query(`alter index ended_deliveries_message attach partition ${name}_message`);
    }
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
