import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The suppression list, and imports into it. */
export class CreateSuppressions1764100000500 implements MigrationInterface {
  name = 'CreateSuppressions1764100000500';

  async up(runner: QueryRunner): Promise<void> {
    await createSuppressions(runner);
    await createImports(runner);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * A send probes the primary key: once per recipient. In its order, bytewise in every database, services with a copy
 * read all rows.
 */
async function createSuppressions(runner: QueryRunner): Promise<void> {
  await runner.query('create sequence suppression_revisions');
  await runner.query(`create table suppressions (
    account_id uuid not null,
    domain text collate "C" not null,
    email text collate "C" not null,
    id uuid not null,
    reason text not null,
    protected boolean not null,
    source text not null check (source in ('api', 'automatic', 'recipient', 'import')),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    revision bigint not null default nextval('suppression_revisions'),
    primary key (account_id, domain, email)
  )`);
  await runner.query(
    'create index suppressions_newest on suppressions (account_id, created_at desc, id desc)',
  );
  await runner.query(
    'create index suppressions_newest_of_domain on suppressions (account_id, domain, created_at desc, id desc)',
  );
  await runner.query('create index suppressions_of_address on suppressions (account_id, email)');
  // permanent rows are never due
  await runner.query(
    `create index suppressions_due on suppressions (expires_at) where expires_at < '9999-01-01T00:00:00Z'`,
  );
}

/**
 * The lines of an import are stored in chunks until they are processed. The progress is in the import's row and changes
 * in the transaction of the effect.
 */
async function createImports(runner: QueryRunner): Promise<void> {
  await runner.query(`create table suppression_imports (
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
    after_domain text not null default '',
    created int not null default 0,
    extended int not null default 0,
    unchanged int not null default 0,
    errors int not null default 0
  )`);
  // round-robin: the oldest import of each account
  await runner.query(
    `create index suppression_imports_waiting on suppression_imports (account_id, id) where state = 'waiting'`,
  );
  await runner.query(
    `create index suppression_imports_open on suppression_imports (created_at) where state = 'uploading'`,
  );
  await runner.query('create index suppression_imports_newest on suppression_imports (created_at, id)');
  await runner.query(`create table suppression_import_chunks (
    import_id uuid not null,
    first_line int not null,
    line_count int not null,
    lines text not null,
    primary key (import_id, first_line)
  )`);
  await runner.query(`create table suppression_import_errors (
    import_id uuid not null,
    line int not null,
    text text not null,
    reason text not null,
    primary key (import_id, line)
  )`);
}
