import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The local copy of account states: which accounts may send. */
export class CreateAccountStates1764000000100 implements MigrationInterface {
  name = 'CreateAccountStates1764000000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table account_states (
      account_id uuid primary key,
      state text not null,
      revision int not null,
      changed_at timestamptz(3) not null default now()
    )`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
