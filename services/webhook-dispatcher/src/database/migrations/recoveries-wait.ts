import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A recovery that comes while a replay of another kind runs waits for its end. The release before knows no such row: it
 * neither starts nor stops one, and a dispatcher of this release does both later.
 */
export class RecoveriesWait1764600000090 implements MigrationInterface {
  name = 'RecoveriesWait1764600000090';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table replays drop constraint replays_state_check,
      add constraint replays_state_check check (state in ('waiting', 'running', 'done', 'stopped')) not valid`);
    await runner.query(
      `create unique index replays_waiting on replays (endpoint_id) where state = 'waiting'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
