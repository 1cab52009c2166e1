import type { MigrationInterface, QueryRunner } from 'typeorm';
import { logTables } from './log/log-tables.js';

/** The tables of every service that publishes or consumes events. */
class CreateEventTables1764000000001 implements MigrationInterface {
  name = 'CreateEventTables1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    // A row exists exactly as long as its event is not published.
    await runner.query(`create table outbox (
      id bigint generated always as identity primary key,
      stream text not null,
      key text not null,
      envelope text not null,
      created_at timestamptz not null default now(),
      attempts int not null default 0,
      last_error text
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`);
    // Which consumer has taken which event; written in the transaction of what the event caused.
    await runner.query(`create table inbox (
      consumer text not null,
      event_id uuid not null,
      received_at timestamptz not null default now(),
      primary key (event_id, consumer)
    )`);
    // rows come in the order of time, so a block range index is enough to prune by
    await runner.query('create index inbox_received_at on inbox using brin (received_at)');
    // How far the streams of a bus with a log are handled; moved in the transaction of the effects.
    await runner.query(`create table bus_positions (
      stream text primary key,
      log uuid not null,
      position bigint not null
    ) with (fillfactor = 20)`);
    // Events that a consumer gave up, until an operator has them handled again.
    await runner.query(`create table dead_letters (
      id bigint generated always as identity primary key,
      consumer text not null,
      event_id text not null,
      stream text not null,
      pattern text,
      kind text not null,
      reason text not null,
      envelope text not null,
      died_at timestamptz not null default now(),
      unique (consumer, event_id)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * Both tables are pruned oldest first. Ranges of blocks tell that no more once the pages of pruned rows are used again:
 * each range then begins in the past, and every batch would read the whole table.
 */
class IndexTimesOfEvents1764100001320 implements MigrationInterface {
  name = 'IndexTimesOfEvents1764100001320';

  async up(runner: QueryRunner): Promise<void> {
    // an inbox may hold a week of events
    await runner.query('set local statement_timeout = 0');
    await runner.query('drop index inbox_received_at');
    await runner.query('create index inbox_received_at on inbox (received_at)');
    await runner.query('create index dead_letters_died_at on dead_letters (died_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * Events that were published and that not all their readers have handled yet, should the bus lose them (decision 73): a row
 * per batch of the relay and stream. Events of one batch are alike, and PostgreSQL compresses them.
 */
class KeepEvents1764100001420 implements MigrationInterface {
  name = 'KeepEvents1764100001420';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table kept_events (
      stream text not null,
      published_at timestamptz(3) not null,
      id bigint not null,
      events int not null,
      envelopes text not null,
      primary key (stream, published_at, id)
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
    // the faster of the two ways to compress, which not every server has
    await runner.query(`do $$ begin
      alter table kept_events alter column envelopes set compression lz4;
    exception when feature_not_supported then null;
    end $$`);
    await runner.query(`create table stream_marks (
      stream text primary key,
      mark bigint not null,
      missing_since timestamptz,
      republish_until timestamptz(3)
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * The data about crashes (decision 87). `consumer_runs`: processes that consume for the service, each under the mark
 * of its session, until their orderly stop; `ended_at`: another process found the session closed. `event_crashes`:
 * events that were in flight when a process ended, and under a mark those that are in flight in recovery mode.
 */
class CountCrashes1764100001510 implements MigrationInterface {
  name = 'CountCrashes1764100001510';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table consumer_runs (
      mark int primary key,
      begun_at timestamptz not null default now(),
      ended_at timestamptz
    )`);
    await runner.query(`create table event_crashes (
      event_id text primary key,
      mark int,
      crashes int not null default 0,
      noted_at timestamptz not null default now()
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * The log of a service whose events a relay publishes (decision 117), the same as that of the embedded bus. The tables
 * `outbox` and `kept_events` stay for one release: processes of the previous one write to them while they are replaced.
 */
class CreateLog1764100001650 implements MigrationInterface {
  name = 'CreateLog1764100001650';

  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }]: [{ schema: string }] = await runner.query('select current_schema() as schema');
    await runner.query(logTables(schema));
    await runner.query(`alter table stream_marks add column written_at timestamptz not null default now(),
      add column republished bigint, add column republish_to bigint`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/** To be put first in the migrations of every service with a database. */
export const OUTBOX_MIGRATIONS = [
  CreateEventTables1764000000001,
  IndexTimesOfEvents1764100001320,
  KeepEvents1764100001420,
  CountCrashes1764100001510,
  CreateLog1764100001650,
] as const;
