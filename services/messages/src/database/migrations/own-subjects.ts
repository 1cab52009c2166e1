import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Regular and template sends have a message per recipient, and its subject is rendered with the recipient's values. It
 * is set where it differs from that of the send request: readers take `coalesce(messages.subject,
 * send_requests.subject)`.
 */
export class OwnSubjects1764100000810 implements MigrationInterface {
  name = 'OwnSubjects1764100000810';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages add column subject text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
