import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TellPieceByPiece1764100001080 implements MigrationInterface {
  name = 'TellPieceByPiece1764100001080';

  async up(runner: QueryRunner): Promise<void> {
    // A row exists until the calls of its event are requested for all webhooks; thousands of rows are inserted and deleted.
    await runner.query(`create table fan_outs (
      id bigint generated always as identity primary key,
      account_id uuid not null,
      event text not null,
      trace text,
      told_until uuid,
      matched_at timestamptz not null
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`);
    await runner.query('create index fan_outs_turn on fan_outs (account_id, id)');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
