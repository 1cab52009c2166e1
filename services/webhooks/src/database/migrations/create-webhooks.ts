import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebhooks1764000000500 implements MigrationInterface {
  name = 'CreateWebhooks1764000000500';

  async up(runner: QueryRunner): Promise<void> {
    // Counters move with every batch of calls: free room on the page and no index on them keep that cheap.
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
    // what every event asks: has its account anybody to tell?
    await runner.query('create index webhooks_enabled on webhooks (account_id) where enabled');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
