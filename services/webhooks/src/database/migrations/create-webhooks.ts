import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebhooks1764000000500 implements MigrationInterface {
  name = 'CreateWebhooks1764000000500';

  async up(runner: QueryRunner): Promise<void> {
    // Counters change with every batch of calls: free space on the page and no index on them keep that cheap.
    await runner.query(`create table webhooks (
      id uuid primary key,
      account_id uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      revision int not null default 1,
      name text not null,
      url text not null,
      sealed_secret text not null,
      enabled boolean not null,
      on_reception boolean not null,
      on_delivered boolean not null,
      on_transient_error boolean not null,
      on_failed boolean not null,
      on_bounced boolean not null,
      on_suppressed boolean not null,
      on_opened boolean not null,
      on_clicked boolean not null,
      on_suppression_created boolean not null,
      on_dns_error boolean not null,
      scope text not null check (scope in ('global', 'scoped')),
      domains text[] not null default '{}' check (scope = 'scoped' or domains = '{}'),
      success_count bigint not null default 0,
      error_count bigint not null default 0,
      errors_since_last_success int not null default 0,
      last_request_at timestamptz(3)
    ) with (fillfactor = 70)`);
    await runner.query('create index webhooks_page on webhooks (account_id, created_at desc, id desc)');
    // checked for every event: does its account have a webhook?
    await runner.query('create index webhooks_enabled on webhooks (account_id) where enabled');
    // A late request of a deleted account must not create a webhook.
    await runner.query(`create table deleted_accounts (
      account_id uuid primary key,
      deleted_at timestamptz(3) not null default now()
    )`);
    // Reception and outcome arrive on two streams; the first one that is matched requests the reception, so that it is
    // queued first and only once (spec 2-messages §18.10).
    await runner.query(`create table published_receptions (
      message_id uuid not null,
      webhook_id uuid not null,
      published_at timestamptz not null default now(),
      primary key (message_id, webhook_id)
    )`);
    // rows are inserted in the order of time, so a block range index is enough for pruning
    await runner.query(
      'create index published_receptions_published_at on published_receptions using brin (published_at)',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
