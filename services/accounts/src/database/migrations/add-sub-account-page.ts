import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pages of sub-accounts, newest first, without a sort (the API lists those that are not deleted). */
export class AddSubAccountPage1764000000150 implements MigrationInterface {
  name = 'AddSubAccountPage1764000000150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index accounts_children_page on accounts (parent_account_id, created_at desc, id desc)
       where parent_account_id is not null and deleted_at is null`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
