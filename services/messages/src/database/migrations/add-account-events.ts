import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What messages does on word from the accounts service: messages of Postmesh itself, and accounts that are gone. */
export class AddAccountEvents1764000000140 implements MigrationInterface {
  name = 'AddAccountEvents1764000000140';

  async up(runner: QueryRunner): Promise<void> {
    // the key makes it one message per recipient, however often it is asked for; the content is deleted, and its id
    // with it, once every recipient's message is accepted
    await runner.query(`create table system_mails (
      mail_id text not null,
      recipient text not null,
      name text not null,
      account_id uuid not null,
      kind text not null,
      content_id uuid,
      requested_at timestamptz(3) not null default now(),
      tries int not null default 0,
      next_try_at timestamptz(3) not null default now(),
      accepted_at timestamptz(3),
      primary key (mail_id, recipient)
    )`);
    await runner.query(
      'create index system_mails_due on system_mails (next_try_at) where accepted_at is null',
    );
    await runner.query(
      'create index system_mails_content on system_mails (content_id) where content_id is not null',
    );
    await runner.query(`create table deleted_accounts (
      account_id uuid primary key,
      deleted_at timestamptz(3) not null default now(),
      canceled_at timestamptz(3)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
