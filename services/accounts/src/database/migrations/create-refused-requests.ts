import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An account that is deleted keeps its rows until they are too old. */
const REFUSED_REQUESTS = `
  create table refused_requests (
    id uuid primary key,
    account_id uuid not null,
    created_at timestamptz(3) not null,
    protocol text not null check (protocol in ('http', 'smtp')),
    key_id uuid not null,
    method text not null,
    operation text,
    path text,
    status smallint not null,
    message text not null,
    request_id text not null,
    client_ip text not null,
    user_agent text not null,
    duration_ms integer
  );
  create index refused_requests_of_account on refused_requests (account_id, created_at, id);
  create index refused_requests_by_age on refused_requests (created_at);
  -- a day is in UTC
  create table refused_request_days (
    account_id uuid not null,
    day date not null,
    stored integer not null default 0,
    left_out bigint not null default 0,
    primary key (account_id, day)
  ) with (fillfactor = 50);
  create index refused_request_days_by_age on refused_request_days (day);`;

export class CreateRefusedRequests1764200000703 implements MigrationInterface {
  name = 'CreateRefusedRequests1764200000703';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(REFUSED_REQUESTS);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
