import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Budgets of new source addresses, a row per source and mailbox provider (docs/decisions/0144): what was used of the day
 * and the hour, and the results of the stage.
 */
export class CreateBudgets1764100001970 implements MigrationInterface {
  name = 'CreateBudgets1764100001970';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table egress_budgets (
      source text not null references egress_sources on delete cascade,
      provider text collate "C" not null,
      stage int not null default 0,
      stage_day date not null,
      day date not null,
      day_used int not null default 0,
      hour timestamptz not null,
      hour_used int not null default 0,
      delivered int not null default 0,
      deferred int not null default 0,
      refused int not null default 0,
      complaints int not null default 0,
      signals int not null default 0,
      primary key (source, provider)
    ) with (fillfactor = 70)`);
    await runner.query('create index egress_budgets_day on egress_budgets (day)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
