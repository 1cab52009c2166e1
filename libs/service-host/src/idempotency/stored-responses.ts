import type { DataSource, EntityManager } from 'typeorm';
import { Transient } from '@postmesh/contracts';
import { deleteOlder } from '@postmesh/database';
import type { IdempotentRun } from './claims.js';

/** A response as it is sent and, byte for byte, replayed. */
export interface RunResponse {
  status: number;
  body: Buffer;
  contentType: string;
  /** holds a one-time secret: encrypted at rest (§4.4.4) */
  encrypt?: boolean;
}

export interface EndedRun {
  run: IdempotentRun;
  response: RunResponse;
}

/** A response in the form in which the row stores it. */
export interface StoredResponse {
  run: IdempotentRun;
  status: number;
  contentType: string;
  body: Buffer;
  sealed: boolean;
  ttlSeconds: number;
}

// `status is null`: a stored response stays, whatever its run does afterwards
const COMPLETE = `
  with ended as (
    select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::smallint[], $5::text[], $6::bytea[],
                         $7::boolean[], $8::float8[])
    as ended(account_id, key, token, status, content_type, body, sealed, ttl)),
  stored as (
    update idempotency record
    set status = ended.status, content_type = ended.content_type, body = ended.body, sealed = ended.sealed,
        expires_at = clock_timestamp() + make_interval(secs => ended.ttl)
    from ended
    where record.account_id = ended.account_id and record.key = ended.key and record.token = ended.token
      and record.status is null
    returning record.token)
  select token from stored`;

/**
 * Stores the responses of runs in one statement.
 * @returns the tokens of the runs that still held their keys; the others were overtaken
 */
export async function storeResponses(
  manager: EntityManager,
  responses: readonly StoredResponse[],
): Promise<Set<string>> {
  if (responses.length === 0) return new Set();
  const rows: { token: string }[] = await manager.query(COMPLETE, [
    responses.map((response) => response.run.accountId),
    responses.map((response) => response.run.key),
    responses.map((response) => response.run.token),
    responses.map((response) => response.status),
    responses.map((response) => response.contentType),
    responses.map((response) => response.body),
    responses.map((response) => response.sealed),
    responses.map((response) => response.ttlSeconds),
  ]);
  return new Set(rows.map((row) => row.token));
}

/** Releases a key as if it had never been claimed (spec 1-platform §4.3.3); does nothing when the run lost it. */
export async function releaseKey(manager: EntityManager, run: IdempotentRun): Promise<void> {
  await manager.query(
    'delete from idempotency where account_id = $1 and key = $2 and token = $3 and status is null',
    [run.accountId, run.key, run.token],
  );
}

/**
 * A run outlived its lease and another run took its key over (spec 1-platform §4.3.6). Thrown inside the
 * transaction of the effect, so that the effect of the late run is rolled back.
 */
export class RunOvertaken extends Transient {
  constructor(readonly overtaken: number) {
    super(`${overtaken} idempotent run(s) outlived the lease and another run took the key over`);
  }
}

export interface Retention {
  leaseSeconds: number;
  ttlSeconds: number;
  secretTtlSeconds: number;
  /** rows of one statement, for tests */
  piece?: number;
  signal: AbortSignal;
}

/**
 * Deletes expired records until none is left: responses that hold API keys as soon as their replay ends, all others
 * once a lease and a replay have passed since their claim. An open run keeps its row that long too, so that the
 * fencing token decides about a late run, whether pruning ran or not.
 * @returns rows deleted
 */
export async function pruneExpired(dataSource: DataSource, kept: Retention): Promise<number> {
  const { leaseSeconds, ttlSeconds, secretTtlSeconds, ...pieces } = kept;
  // `expires_at` decides; `claimed_at` bounds it from below and has the indexes
  const rows = { table: 'idempotency', column: 'claimed_at', ...pieces };
  const secrets = await deleteOlder(dataSource, {
    ...rows,
    olderThanSeconds: secretTtlSeconds,
    condition: 'secret and status is not null and expires_at <= now()',
  });
  const all = { ...rows, olderThanSeconds: leaseSeconds + ttlSeconds, condition: 'expires_at <= now()' };
  return secrets + (await deleteOlder(dataSource, all));
}
