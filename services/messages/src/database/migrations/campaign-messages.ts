import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages of campaigns are in the tables of all messages, with a send request per batch of recipients (decision 58).
 * They are in no list and in no search (spec 3-marketing §7.7), so neither reads a million of them.
 */
export class CampaignMessages1764100001190 implements MigrationInterface {
  name = 'CampaignMessages1764100001190';

  async up(runner: QueryRunner): Promise<void> {
    // every row satisfies the wider list, so no row is checked, and the lock is short
    await runner.query(`alter table send_requests drop constraint if exists send_requests_kind_check,
      add constraint send_requests_kind_check
        check (kind in ('conversation', 'regular', 'template', 'smtp', 'inbound', 'report', 'campaign')) not valid,
      add column campaign_id uuid, add column sender_name text`);
    await runner.query('alter table messages add column campaign_id uuid');
    // `messages_newest` stays for the previous release, which does not filter by campaign; the next one may drop it
    await runner.query(
      `create index messages_listed on messages (account_id, created_at desc, id desc) where campaign_id is null`,
    );
    await runner.query(`create or replace function note_changed_messages() returns trigger language plpgsql
      set search_path from current as $$
      begin
        insert into search_changes (account_id, message_id)
        select account_id, id from changed where created_at < now() - interval '1 minute' and campaign_id is null;
        return null;
      end $$`);
    await this.countApart(runner);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }

  /**
   * Counts of campaign mail for the bounce rate of a domain, and for no other figure
   * (spec 1-platform §11.8, §15 rule 4).
   */
  private async countApart(runner: QueryRunner): Promise<void> {
    for (const table of ['statistics_facts', 'statistics_history']) {
      await runner.query(`alter table ${table} add column campaign boolean not null default false`);
    }
    await runner.query(`alter table statistics_counters drop constraint if exists statistics_counters_detail_check,
      add constraint statistics_counters_detail_check
        check (detail in ('total', 'recipient', 'tags', 'recipient-tags', 'campaigns')) not valid`);
    // serves `detail = 'total'` too, the condition of the previous release
    await runner.query(
      `create index statistics_counters_rates on statistics_counters (level, from_time, account_id)
         where detail = any('{total,campaigns}'::text[])`,
    );
    await runner.query('drop index if exists statistics_counters_totals');
  }
}
