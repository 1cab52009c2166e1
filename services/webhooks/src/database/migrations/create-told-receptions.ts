import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which webhook was told of the reception of which message. Reception and outcome come on two streams; whoever
 * comes first tells of the reception, so that it is always queued first and only once (spec 2-messages §18.10).
 */
export class CreateToldReceptions1764000000501 implements MigrationInterface {
  name = 'CreateToldReceptions1764000000501';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table told_receptions (
      message_id uuid not null,
      webhook_id uuid not null,
      told_at timestamptz not null default now(),
      primary key (message_id, webhook_id)
    )`);
    // rows come in the order of time, so a block range index is enough to prune by
    await runner.query('create index told_receptions_told_at on told_receptions using brin (told_at)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
