import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Learnt limits of MX groups, shared by all workers (docs/decisions/0039). `shaping_state`: a row per group and source
 * address with learnt limits, changed by compare-and-set on `version`. `shaping_use`: the use of each worker now; a
 * worker writes its own rows only, and the one without group is its heartbeat. `suspensions`: narrower ones, of a
 * sending domain or an account; `source` is empty where it applies to all.
 */
export class CreateShaping1764100000920 implements MigrationInterface {
  name = 'CreateShaping1764100000920';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table shaping_state (
      group_key text collate "C" not null,
      source text collate "C" not null,
      version bigint not null,
      connections int not null,
      rate float8,
      per_connection int,
      half int,
      window_from timestamptz(3) not null,
      deaf_until timestamptz(3),
      held_until timestamptz(3),
      suspended_until timestamptz(3),
      strikes int not null default 0,
      floor_cuts int not null default 0,
      floor_from timestamptz(3),
      troubled_at timestamptz(3),
      changed_at timestamptz(3) not null,
      cause jsonb,
      primary key (group_key, source)
    ) with (fillfactor = 80)`);
    await runner.query('create index shaping_state_changed_at on shaping_state (changed_at)');
    await runner.query(`create index shaping_state_suspended on shaping_state (suspended_until)
      where suspended_until is not null`);
    await runner.query(`create table shaping_use (
      group_key text collate "C" not null,
      source text collate "C" not null,
      worker uuid not null,
      version bigint not null,
      connections int not null,
      peak int not null,
      results int not null,
      rate float8 not null,
      told_at timestamptz(3) not null,
      primary key (group_key, source, worker)
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000)`);
    await runner.query('create index shaping_use_worker on shaping_use (worker)');
    await runner.query(`create table suspensions (
      group_key text collate "C" not null,
      source text collate "C" not null,
      scope text not null check (scope in ('source+domain', 'account')),
      subject text collate "C" not null,
      suspended_until timestamptz(3) not null,
      strikes int not null,
      cause jsonb not null,
      primary key (group_key, source, scope, subject)
    )`);
    await runner.query('create index suspensions_until on suspensions (suspended_until)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
