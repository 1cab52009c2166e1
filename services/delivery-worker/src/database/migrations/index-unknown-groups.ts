import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries that wait for the look-up of their domain (mx/unknown-groups.ts): few, and gone from it once it is known. */
export class IndexUnknownGroups1764100000911 implements MigrationInterface {
  name = 'IndexUnknownGroups1764100000911';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index deliveries_unknown on deliveries (account_id, group_key)
      where state = 'ready' and group_key >= 'd:' and group_key < 'd;'`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
