import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the operator has set for one account's domains; no row, or null, means the installation's default. */
export class CreateAccountSettings1764000000110 implements MigrationInterface {
  name = 'CreateAccountSettings1764000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table account_settings (
      account_id uuid primary key,
      dns_mode text check (dns_mode in ('managed', 'manual')),
      domain_limit int,
      return_path_satisfies_spf boolean not null default false,
      dkim_selector text,
      dkim_rotation_days smallint,
      tracking_subdomain text,
      return_path_subdomain text,
      subscription_subdomain text,
      media_subdomain text,
      spf_host text,
      return_path_host text,
      tracking_host text,
      mx_host text,
      updated_at timestamptz(3) not null
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
