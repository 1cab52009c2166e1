import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What Postmesh itself has sent is looked for every ten seconds, once its time is over: few rows a day, none of them by
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
