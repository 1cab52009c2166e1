import type { MigrationInterface, QueryRunner } from 'typeorm';

const OIDC = `
  -- hashes: the state, and the secret in the cookie of the browser; page: where the sign-in leads
  create table oidc_flows (
    state_hash bytea primary key,
    browser_hash bytea not null,
    purpose text not null check (purpose in ('sign-in', 'confirm')),
    session_id uuid,
    page text,
    begun_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  );
  create index oidc_flows_by_end on oidc_flows (expires_at);
  alter table members add column from_group boolean not null default false;`;

export class CreateOidcFlows1764200000702 implements MigrationInterface {
  name = 'CreateOidcFlows1764200000702';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OIDC);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
