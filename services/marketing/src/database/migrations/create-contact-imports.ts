import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports of contacts from files (libs/line-imports). `list_id`: the list that they are added to, too. */
export class CreateContactImports1764100001131 implements MigrationInterface {
  name = 'CreateContactImports1764100001131';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table contact_imports (
      id uuid primary key,
      account_id uuid not null,
      operator text not null,
      format text not null check (format in ('csv', 'ndjson')),
      columns text[] not null,
      state text not null check (state in ('uploading', 'waiting', 'done', 'failed')),
      problem text,
      created_at timestamptz(3) not null default now(),
      worked_at timestamptz(3),
      finished_at timestamptz(3),
      lines int not null default 0,
      lines_done int not null default 0,
      list_id uuid,
      created int not null default 0,
      updated int not null default 0,
      unchanged int not null default 0,
      listed int not null default 0,
      errors int not null default 0
    )`);
    // the oldest import of each account comes first
    await runner.query(
      `create index contact_imports_waiting on contact_imports (account_id, id) where state = 'waiting'`,
    );
    await runner.query(
      `create index contact_imports_open on contact_imports (created_at) where state = 'uploading'`,
    );
    await runner.query('create index contact_imports_newest on contact_imports (account_id, created_at, id)');
    await runner.query('create index contact_imports_old on contact_imports (created_at)');
    await runner.query(`create table contact_import_chunks (
      import_id uuid not null,
      first_line int not null,
      line_count int not null,
      lines text not null,
      primary key (import_id, first_line)
    )`);
    await runner.query(`create table contact_import_errors (
      import_id uuid not null,
      line int not null,
      text text not null,
      reason text not null,
      primary key (import_id, line)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
