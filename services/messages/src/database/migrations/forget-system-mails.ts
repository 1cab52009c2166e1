import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A task searches for expired mail of Postmesh itself every ten seconds: few rows a day, found by an index instead of
 * a scan of a month.
 */
export class ForgetSystemMails1764100001340 implements MigrationInterface {
  name = 'ForgetSystemMails1764100001340';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index system_mails_old on system_mails (accepted_at) where accepted_at is not null',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
