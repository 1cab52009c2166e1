import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRoutes1764100001060 implements MigrationInterface {
  name = 'CreateRoutes1764100001060';

  async up(runner: QueryRunner): Promise<void> {
    // Counters change with every batch of calls: free space on the page and no index on them keep that cheap.
    await runner.query(`create table routes (
      id uuid primary key,
      account_id uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      revision int not null default 1,
      name text not null,
      url text not null,
      sealed_secret text not null,
      recipient text not null,
      recipient_domain text check ((recipient_domain is null) = (recipient = '')),
      recipient_domain_id uuid check ((recipient_domain_id is null) = (recipient_domain is null)),
      attachments boolean not null,
      headers boolean not null,
      group_by_message_id boolean not null,
      strip_replies boolean not null,
      enabled boolean not null,
      success_count bigint not null default 0,
      error_count bigint not null default 0,
      errors_since_last_success int not null default 0,
      last_request_at timestamptz(3)
    ) with (fillfactor = 70)`);
    await runner.query('create index routes_page on routes (account_id, created_at desc, id desc)');
    // the routes of a deleted domain
    await runner.query('create index routes_of_domain on routes (recipient_domain_id) where enabled');
    // queried for every RCPT and every received message
    await runner.query('create index routes_enabled on routes (account_id, recipient_domain) where enabled');
    // A grouping route is called once per message, for any number of its recipients, sessions and domains.
    await runner.query(`create table grouped_messages (
      route_id uuid not null,
      message_key text not null,
      called_at timestamptz not null default now(),
      primary key (route_id, message_key)
    )`);
    // rows are inserted in the order of time, so a block range index is enough for pruning
    await runner.query('create index grouped_messages_called_at on grouped_messages using brin (called_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
