import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Recipients in the order of the snapshot, by the filters of their list (spec 3-marketing §3.2): a few among a
 * million are found without reading the million.
 */
export class FilterRecipients1764100001200 implements MigrationInterface {
  name = 'FilterRecipients1764100001200';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of indexes) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const REACTIONS = ['opened_at', 'clicked_at', 'unsubscribed_at', 'complained_at'];

const indexes = [
  'create index campaign_recipients_status on campaign_recipients (campaign_id, status, position)',
  'create index campaign_recipients_email on campaign_recipients using hash (email)',
  ...REACTIONS.map(
    (column) => `create index campaign_recipients_${column} on campaign_recipients (campaign_id, position)
      where ${column} is not null`,
  ),
];
