import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Outcomes that suppress their recipient only at the third time (spec 2-messages §15.3 rule 2). A row per message, so
 * that an outcome that is published twice counts once. Rows are deleted when they suppress, or after 30 days. For
 * operators an attempt has the row of the table of replies that decided.
 */
export class CreateRecipientTroubles1764100000950 implements MigrationInterface {
  name = 'CreateRecipientTroubles1764100000950';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table recipient_troubles (
      account_id uuid not null,
      domain text collate "C" not null,
      email text collate "C" not null,
      message_id uuid not null,
      weight text not null check (weight in ('hard', 'soft')),
      at timestamptz(3) not null default now(),
      primary key (account_id, domain, email, message_id)
    )`);
    await runner.query('alter table delivery_attempts add column reply_rule text');
    await runner.query('create index recipient_troubles_due on recipient_troubles (at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
