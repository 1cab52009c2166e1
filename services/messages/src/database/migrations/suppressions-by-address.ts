import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * With the domain in it, each of the two indexes that serve the lookup of a send finds one row. Before, the planner
 * used the one by address for a probe, and an address suppressed for 10,000 domains cost 10,000 rows.
 */
export class SuppressionsByAddress1764100000790 implements MigrationInterface {
  name = 'SuppressionsByAddress1764100000790';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index suppressions_of_address_in_domain on suppressions (account_id, email, domain)',
    );
    await runner.query('drop index suppressions_of_address');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
