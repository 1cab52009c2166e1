import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Mail to the address of feedback loops (spec 2-messages §15.5): complaints counted by the form of their writer, and
 * for operators the newest mail without an effect: providers confirm a registration by mail to the address.
 */
export class FeedbackLoops1764100001620 implements MigrationInterface {
  name = 'FeedbackLoops1764100001620';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table feedback_loops (
      form text primary key,
      matched bigint not null default 0,
      unmatched bigint not null default 0,
      last_at timestamptz(3) not null
    )`);
    await runner.query(`create table feedback_mail (
      id uuid primary key,
      kind text not null,
      sender text not null,
      subject text not null,
      content bytea not null,
      received_at timestamptz(3) not null
    )`);
    await runner.query('create index feedback_mail_newest on feedback_mail (received_at desc, id)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
