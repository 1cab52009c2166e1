import type { MigrationInterface, QueryRunner } from 'typeorm';

const TIME = 'timestamptz(3)';

/** How often a contact wants mail of campaigns (decision 178). No row: every one. */
export class ChooseFrequency1764100002110 implements MigrationInterface {
  name = 'ChooseFrequency1764100002110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table contact_frequencies (
      contact_id uuid primary key references contacts on delete cascade,
      account_id uuid not null,
      frequency text not null check (frequency in ('weekly', 'monthly')),
      chosen_at ${TIME} not null
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
