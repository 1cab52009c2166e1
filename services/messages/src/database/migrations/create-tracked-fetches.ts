import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fetches of pixels and links, kept as long as the record of their message: kind and client of each. A click has
 * `is_bot` null until it is classified. A purge by the previous release leaves them; the purge of this release finds
 * them by their message.
 */
export class CreateTrackedFetches1764100000840 implements MigrationInterface {
  name = 'CreateTrackedFetches1764100000840';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table tracked_fetches (
      id uuid primary key,
      message_id uuid not null,
      kind text not null check (kind in ('open', 'click')),
      at timestamptz(3) not null,
      recorded_at timestamptz(3) not null default now(),
      link_index int,
      url text,
      ip text not null,
      user_agent text not null,
      is_bot boolean,
      bot_reason text
    )`);
    await runner.query('create index tracked_fetches_of_message on tracked_fetches (message_id, at)');
    await runner.query(
      'create index tracked_fetches_undecided on tracked_fetches (recorded_at) where is_bot is null',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
