import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Facts, one per counted change, and the counters into which they are aggregated (decision 21). */
export class CreateStatistics1764100000700 implements MigrationInterface {
  name = 'CreateStatistics1764100000700';

  async up(runner: QueryRunner): Promise<void> {
    await createFacts(runner);
    await createCounters(runner);
    await createProgress(runner);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * A fact is written in the transaction of the change that it counts, and has no index: the fold takes whole batches of
 * any content, and keeps them in `statistics_history` for the edges of ranges that begin or end within an hour.
 */
async function createFacts(runner: QueryRunner): Promise<void> {
  const columns = `account_id uuid not null,
    domain text not null,
    recipient_domain text not null,
    tags text[],
    at timestamptz(3) not null,
    figure text not null,
    classification text,
    count int not null,
    delivery_ms bigint not null`;
  // a queue: its dead rows must be vacuumed soon, after a peak too
  await runner.query(`create table statistics_facts (${columns})
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`);
  await runner.query(`create table statistics_history (${columns})`);
  await runner.query('create index statistics_history_at on statistics_history (account_id, at)');
}

/**
 * `series` is a digest of domain, recipient domain, tags and classification: as texts they could exceed the size of an
 * index entry. `detail` has the dimensions of the row.
 */
async function createCounters(runner: QueryRunner): Promise<void> {
  await runner.query(`create table statistics_counters (
    account_id uuid not null,
    detail text collate "C" not null check (detail in ('total', 'recipient', 'tags', 'recipient-tags')),
    level text collate "C" not null check (level in ('hour', 'day', 'month')),
    from_time timestamptz(3) not null,
    series uuid not null,
    domain text not null,
    recipient_domain text,
    tags text[],
    classification text,
    received int not null,
    delivered int not null,
    deferred int not null,
    bounced int not null,
    failed int not null,
    suppressed int not null,
    opened int not null,
    clicked int not null,
    delivery_ms bigint not null,
    primary key (account_id, detail, level, from_time, series)
  ) with (fillfactor = 80)`);
  // for reads of some among many recipient domains
  await runner.query(
    `create index statistics_counters_recipients on statistics_counters (account_id, detail, recipient_domain, level, from_time)
       where recipient_domain is not null`,
  );
  // finds the accounts with rows of a time, for roll-ups, bounce rates and expiry
  await runner.query(
    `create index statistics_counters_totals on statistics_counters (level, from_time, account_id) where detail = 'total'`,
  );
}

/**
 * All facts before `complete_until` are in the rows of the level, and so is the next day or month of the accounts up
 * to `after_account`. Later facts of such a time are added there too.
 */
async function createProgress(runner: QueryRunner): Promise<void> {
  await runner.query(`create table statistics_progress (
    level text primary key,
    complete_until timestamptz(3) not null,
    after_account uuid
  )`);
  await runner.query(`insert into statistics_progress (level, complete_until)
    select level, date_trunc(level, now(), 'UTC') from unnest(array['day', 'month']) as level`);
  // deleted a second time when no further fact of the account can arrive
  await runner.query('alter table deleted_accounts add column statistics_deleted_at timestamptz(3)');
}
