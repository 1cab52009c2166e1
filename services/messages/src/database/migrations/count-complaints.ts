import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Complaints are counted like the other figures; the release before leaves them out of the rows that it writes. */
export class CountComplaints1764100001780 implements MigrationInterface {
  name = 'CountComplaints1764100001780';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table statistics_counters add column complained int not null default 0');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
