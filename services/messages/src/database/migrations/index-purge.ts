import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records to be purged are found among those whose content is gone already, so that accepting a message writes
 * nothing for it. A block range index would match every block as soon as customers keep records for different times.
 */
export class IndexPurge1764000000120 implements MigrationInterface {
  name = 'IndexPurge1764000000120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index send_requests_metadata_due');
    await runner.query(
      'create index send_requests_record_due on send_requests (retain_metadata_until) where content_id is null',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
