import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `sts_policies`: MTA-STS policies of recipient domains (RFC 8461), shared by all workers. A row is valid until
 * `expires_at`, is fetched again at `refresh_at`, and is removed when it was not used for long.
 */
export class CreateStsPolicies1764100000930 implements MigrationInterface {
  name = 'CreateStsPolicies1764100000930';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table sts_policies (
      domain text collate "C" primary key,
      policy_id text not null,
      mode text not null check (mode in ('enforce', 'testing', 'none')),
      mx text[] not null,
      fetched_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      refresh_at timestamptz(3) not null,
      used_at timestamptz(3) not null
    )`);
    await runner.query('create index sts_policies_refresh_at on sts_policies (refresh_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
