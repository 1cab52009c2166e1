import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row per idempotency key in use (spec 1-platform §4.3). `status` null = in progress: `expires_at` is then the
 * end of the lease, afterwards the end of the replay. `token` is the fencing token: only the run that holds it may
 * end the row. `home` is written only by the service that keeps the register of all keys: the service that holds
 * the key, null = this one. `holder` is the mark of the process that runs it, null = only time ends the run.
 */
class CreateIdempotency1764000000011 implements MigrationInterface {
  name = 'CreateIdempotency1764000000011';

  async up(runner: QueryRunner): Promise<void> {
    // Every row is updated once, when its run ends, and is then about three times as long. This part of each page
    // is left free, and no index names a column that this update changes: the row stays on its page and no index is
    // written (measured: every update is heap-only; with half of the page free, half of them).
    await runner.query(`create table idempotency (
      account_id uuid not null,
      key text collate "C" not null,
      fingerprint bytea not null,
      token uuid not null,
      secret boolean not null,
      claimed_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      status smallint,
      content_type text,
      body bytea,
      sealed boolean not null default false,
      home text,
      primary key (account_id, key),
      check ((status is null) = (body is null))
    ) with (fillfactor = 30)`);
    await runner.query('create index idempotency_claimed_at on idempotency (claimed_at)');
    // responses with an API key live for minutes and must not stay until the daily prune
    await runner.query('create index idempotency_secret on idempotency (claimed_at) where secret');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

/**
 * Responses with one-time secrets are few among millions; a rotation of the secret keys finds them here. A run that
 * stores another response leaves `sealed` as it was, so that its update still writes no index.
 */
class IndexSealedResponses1764100000401 implements MigrationInterface {
  name = 'IndexSealedResponses1764100000401';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index idempotency_sealed on idempotency (account_id, key) where sealed');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

class AddHolderOfRuns1764100001310 implements MigrationInterface {
  name = 'AddHolderOfRuns1764100001310';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table idempotency add column holder integer');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}

export const IDEMPOTENCY_MIGRATIONS = [
  CreateIdempotency1764000000011,
  IndexSealedResponses1764100000401,
  AddHolderOfRuns1764100001310,
] as const;
