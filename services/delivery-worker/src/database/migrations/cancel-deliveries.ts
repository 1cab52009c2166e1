import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A canceled delivery stays for a while, in no index of the queue: a repeated request gets the same answer, and an
 * existing row keeps a late event from creating the delivery again. `due_at` is then the time at which it is removed.
 * `intakes` has a row per batch of ingested events: the send requests that had deliveries, finished ones included.
 */
export class CancelDeliveries1764100000830 implements MigrationInterface {
  name = 'CancelDeliveries1764100000830';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deliveries drop constraint deliveries_state_check');
    await runner.query(`alter table deliveries add constraint deliveries_state_check
      check (state in ('waiting', 'leased', 'suspended', 'canceled'))`);
    await runner.query(`create index deliveries_canceled on deliveries (due_at) where state = 'canceled'`);
    await runner.query(`create table intakes (
      taken_at timestamptz(3) not null default now(),
      send_request_ids uuid[] not null
    )`);
    await runner.query('create index intakes_taken_at on intakes (taken_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
