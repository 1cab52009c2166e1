import type { MigrationInterface, QueryRunner } from 'typeorm';

const SMTP_CREDENTIALS = `
  -- password_hash: HMAC-SHA-256 of the password with the server's pepper; the password is nowhere
  create table smtp_credentials (
    id uuid primary key,
    account_id uuid not null references accounts (id),
    name text not null,
    username text not null unique,
    password_hash bytea not null unique,
    pepper_id text not null,
    sandbox boolean not null,
    scope text not null check (scope in ('global', 'scoped')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index smtp_credentials_page on smtp_credentials (account_id, created_at desc, id desc);
  create table smtp_credential_domains (
    smtp_credential_id uuid not null references smtp_credentials (id) on delete cascade,
    domain_id uuid not null,
    domain text not null,
    position smallint not null,
    primary key (smtp_credential_id, domain_id)
  );
  create index smtp_credential_domains_domain on smtp_credential_domains (domain_id);`;

export class CreateSmtpCredentials1764100000600 implements MigrationInterface {
  name = 'CreateSmtpCredentials1764100000600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SMTP_CREDENTIALS);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
