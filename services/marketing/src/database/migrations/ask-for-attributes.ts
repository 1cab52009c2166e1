import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The attributes that a sign-up form asks for, and those of a sign-up until its confirmation (decision 179). */
export class AskForAttributes1764100002111 implements MigrationInterface {
  name = 'AskForAttributes1764100002111';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table sign_up_forms add column attributes jsonb not null default '[]'`);
    await runner.query(`alter table sign_ups add column attributes jsonb not null default '{}'`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
