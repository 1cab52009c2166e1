import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages that bounced or failed, until their senders received a report or turned out to want none
 * (spec 2-messages §15.6). A queue: its dead rows must be vacuumed soon.
 */
export class CreateDsnRequests1764100001020 implements MigrationInterface {
  name = 'CreateDsnRequests1764100001020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table dsn_requests (
      message_id uuid primary key,
      account_id uuid not null,
      domain text collate "C" not null,
      ended_at timestamptz(3) not null,
      tries int not null default 0,
      next_try_at timestamptz(3) not null default now()
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`);
    await runner.query('create index dsn_requests_due on dsn_requests (account_id, domain, next_try_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
