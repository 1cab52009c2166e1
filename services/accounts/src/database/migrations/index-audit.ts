import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit is read by who did it and by what was done, too. */
export class IndexAudit1764000000170 implements MigrationInterface {
  name = 'IndexAudit1764000000170';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index audit_entries_of_actor on audit_entries (actor_id, at desc, id desc)
      where actor_id is not null`);
    await runner.query('create index audit_entries_of_action on audit_entries (action, at desc, id desc)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
