import type { EntityManager } from 'typeorm';
import type { IdempotentRun } from './idempotency.types.js';

/** An answer in the form in which the row keeps it. */
export interface StoredResponse {
  run: IdempotentRun;
  status: number;
  contentType: string;
  body: Buffer;
  sealed: boolean;
  ttlSeconds: number;
}

// `status is null`: an answer that is stored stays, whatever its run does afterwards
const COMPLETE = `
  with ended as (
    select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::smallint[], $5::text[], $6::bytea[],
                         $7::boolean[], $8::float8[])
    as ended(account_id, key, token, status, content_type, body, sealed, ttl)),
  stored as (
    update idempotency held
    set status = ended.status, content_type = ended.content_type, body = ended.body, sealed = ended.sealed,
        expires_at = clock_timestamp() + make_interval(secs => ended.ttl)
    from ended
    where held.account_id = ended.account_id and held.key = ended.key and held.token = ended.token
      and held.status is null
    returning held.token)
  select token from stored`;

/**
 * Stores the answers of runs in one statement.
 * @returns the tokens of the runs that still held their keys; the others were overtaken
 */
export async function storeAnswers(
  manager: EntityManager,
  answers: readonly StoredResponse[],
): Promise<Set<string>> {
  if (answers.length === 0) return new Set();
  const rows: { token: string }[] = await manager.query(COMPLETE, [
    answers.map((response) => response.run.accountId),
    answers.map((response) => response.run.key),
    answers.map((response) => response.run.token),
    answers.map((response) => response.status),
    answers.map((response) => response.contentType),
    answers.map((response) => response.body),
    answers.map((response) => response.sealed),
    answers.map((response) => response.ttlSeconds),
  ]);
  return new Set(rows.map((row) => row.token));
}

/** Gives a key back as if it had never been claimed (spec 1-platform §4.3.3); nothing happens when the run lost it. */
export async function releaseKey(manager: EntityManager, run: IdempotentRun): Promise<void> {
  await manager.query(
    'delete from idempotency where account_id = $1 and key = $2 and token = $3 and status is null',
    [run.accountId, run.key, run.token],
  );
}
