import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Members list the ended deliveries of an endpoint that have not succeeded: without the index, one among a week of
 * successes is found by reading all of these. Only a failure writes to it. The partitions of days before the migration
 * have none, and expire with POSTMESH_WEBHOOK_REPLAY_DAYS: building it there would keep attempts from being recorded.
 */
export class ListFailedDeliveries1764100001760 implements MigrationInterface {
  name = 'ListFailedDeliveries1764100001760';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index ended_deliveries_failed on only ended_deliveries (endpoint_id, ended_at, id)
      where outcome <> 'succeeded'`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
