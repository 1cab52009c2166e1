import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Failing endpoints are probed, and missed events of an endpoint are recovered (spec 2-messages §18 rules 8 and 13).
 *
 * `endpoint_states`: consecutive `failures` of any kind, since `failing_since`; no call before `next_call_at`; `version`
 * grows with each write; `unanswered`, `opened_at` and `answered_at` belong to the previous release. `ended_deliveries`:
 * `missed` is an event from a time when its webhook was disabled; `replay_id` is the last replay that made the delivery
 * again, `recovered_at` the time of its success. `replays`: background tasks, each with its progress.
 */
export class LoseNoEvent1764100001560 implements MigrationInterface {
  name = 'LoseNoEvent1764100001560';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table endpoint_states
      alter column unanswered set default 0,
      add column failures int not null default 0,
      add column failing_since timestamptz(3),
      add column next_call_at timestamptz(3),
      add column succeeded_at timestamptz(3),
      add column version bigint not null default 1`);
    await runner.query(`update endpoint_states set failures = unanswered,
      failing_since = coalesce(opened_at, last_failure_at, updated_at) where unanswered > 0`);
    await runner.query(
      'create index endpoint_states_failing on endpoint_states (failing_since) where failures > 0',
    );
    // every existing row satisfies the wider list, so none is checked
    await runner.query(`alter table ended_deliveries
      add column replay_id uuid,
      add column recovered_at timestamptz(3),
      drop constraint if exists ended_deliveries_outcome_check,
      add constraint ended_deliveries_outcome_check
        check (outcome in ('succeeded', 'dropped', 'stopped', 'set-aside', 'missed')) not valid`);
    await runner.query(`create table replays (
      id uuid primary key,
      endpoint_id uuid not null,
      target text not null check (target in ('webhook', 'route')),
      kind text not null check (kind in ('recover', 'all')),
      event_type text,
      since timestamptz(3) not null,
      until timestamptz(3),
      state text not null check (state in ('running', 'done', 'stopped')),
      pass smallint not null default 1,
      after text,
      replayed int not null default 0,
      skipped int not null default 0,
      created_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      next_run_at timestamptz(3) not null default now()
    ) with (fillfactor = 70)`);
    await runner.query(
      `create unique index replays_running on replays (endpoint_id) where state = 'running'`,
    );
    await runner.query('create index replays_of_endpoint on replays (endpoint_id, created_at)');
    await runner.query('create index replays_created_at on replays (created_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
