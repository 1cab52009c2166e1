import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds unused and expired policies without a scan of all recipient domains. Each use of a policy is recorded once a
 * day at most in this table, so that both indexes are rarely written.
 */
export class ForgetStsPolicies1764100001370 implements MigrationInterface {
  name = 'ForgetStsPolicies1764100001370';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index sts_policies_used_at on sts_policies (used_at)');
    await runner.query('create index sts_policies_expires_at on sts_policies (expires_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
