import type { MigrationInterface, QueryRunner } from 'typeorm';

const TIME = 'timestamptz(3)';

/** Variants of campaigns (decision 163). */
export class CreateTrials1764100002041 implements MigrationInterface {
  name = 'CreateTrials1764100002041';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

const STATEMENTS = [
  // size: the recipients of the trial, known when the campaign begins to send
  `create table campaign_trials (
    campaign_id uuid primary key references campaigns on delete cascade,
    metric text not null check (metric in ('opened', 'clicked')),
    share int not null,
    wait_minutes int not null,
    size int,
    decides_at ${TIME},
    decided_at ${TIME},
    winner smallint
  )`,
  'create index campaign_trials_open on campaign_trials (decides_at) where size is not null and decided_at is null',
  // the campaign's own content is variant 0 and has no row
  `create table campaign_variants (
    campaign_id uuid not null references campaigns on delete cascade,
    variant smallint not null,
    subject text,
    template_id uuid,
    html text,
    text text,
    primary key (campaign_id, variant)
  )`,
];
