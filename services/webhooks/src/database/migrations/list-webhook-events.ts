import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The columns that contain the events in the previous release; later events have no column. */
export const FLAG_COLUMNS = [
  'on_reception',
  'on_delivered',
  'on_transient_error',
  'on_failed',
  'on_bounced',
  'on_suppressed',
  'on_opened',
  'on_clicked',
  'on_suppression_created',
  'on_dns_error',
] as const;

const flagsOn = (row: string) =>
  `array_remove(array[${FLAG_COLUMNS.map((flag) => `case when ${row}.${flag} then '${flag}' end`).join(', ')}], null)`;

/**
 * `events` contains the events of a webhook; a new event needs no column (ADR 102). The previous release reads and writes
 * a boolean per event, so a trigger synchronises both: a statement that leaves `events` unchanged was made by that release.
 * Events unknown to it stay. Updates of counters do not run the trigger.
 *
 * The next release drops the trigger, its function and the ten columns: no release that reads them runs then.
 * All rows are written once under the lock of `alter table`: accounts have at most a hundred, and 100,000 take 1.5 s.
 */
export class ListWebhookEvents1764100001563 implements MigrationInterface {
  name = 'ListWebhookEvents1764100001563';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhooks add column events text[]');
    await runner.query(`update webhooks set events = ${flagsOn('webhooks')}`);
    await runner.query('alter table webhooks alter column events set not null');
    // OLD is null in an insert
    await runner.query(`create function keep_webhook_flags() returns trigger language plpgsql as $$
      begin
        if new.events is not distinct from old.events then
          new.events := ${flagsOn('new')} || array(
            select event from unnest(old.events) as event where event <> all('{${FLAG_COLUMNS.join(', ')}}'));
        else
          ${FLAG_COLUMNS.map((flag) => `new.${flag} := '${flag}' = any(new.events);`).join('\n          ')}
        end if;
        return new;
      end $$`);
    await runner.query(`create trigger keep_webhook_flags
      before insert or update of events, ${FLAG_COLUMNS.join(', ')} on webhooks
      for each row execute function keep_webhook_flags()`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
