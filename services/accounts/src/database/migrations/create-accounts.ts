import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAccounts1764000000100 implements MigrationInterface {
  name = 'CreateAccounts1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table users (
      id uuid primary key,
      email text not null unique,
      name text not null default '',
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`);
    await runner.query(`create table accounts (
      id uuid primary key,
      parent_account_id uuid references accounts (id),
      name text not null,
      website text not null default '',
      about text not null default '',
      track_opens boolean not null default false,
      track_clicks boolean not null default false,
      reject_bad_recipients boolean not null default false,
      reject_mistyped_recipients boolean not null default false,
      message_metadata_retention smallint not null default 7
        check (message_metadata_retention between 1 and 30),
      message_data_retention smallint not null default 7 check (message_data_retention between 0 and 30),
      platform_partner boolean not null,
      owner_id uuid not null references users (id),
      suspended_at timestamptz(3),
      suspended_by text check (suspended_by in ('operator', 'parent')),
      suspension_reason text,
      blocked_at timestamptz(3),
      block_reason text,
      deleted_at timestamptz(3),
      revision int not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      check ((suspended_at is null) = (suspended_by is null))
    )`);
    await runner.query('create index accounts_page on accounts (created_at desc, id desc)');
    await runner.query(
      'create index accounts_children on accounts (parent_account_id) where parent_account_id is not null',
    );
    await runner.query(`create table members (
      account_id uuid not null references accounts (id),
      user_id uuid not null references users (id),
      role text not null check (role in ('Administrator', 'Developer', 'Analyst', 'Billing Manager')),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (account_id, user_id)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
