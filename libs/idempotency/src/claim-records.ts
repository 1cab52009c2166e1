import type { DataSource } from 'typeorm';
import type { FoundRecord } from './idempotency.rules.js';
import type { ClaimRequest } from './idempotency.types.js';

/** A claim with the token that its run will hold, chosen before the database is asked. */
export interface TokenedClaim extends ClaimRequest {
  token: string;
}

export interface CompletedAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  sealed: boolean;
}

export interface ClaimRecord extends FoundRecord {
  secondsLeft: number;
  /** null while in progress */
  answer: CompletedAnswer | null;
}

const ASKED = `unnest($1::uuid[], $2::text[], $3::bytea[], $4::uuid[], $5::boolean[])
  as asked(account_id, key, fingerprint, token, secret)`;

// Nobody's open transaction is waited for: a row that is just being completed conflicts at once. Rows are
// inserted in the order of the key, so that two groups with the same keys cannot block each other.
const INSERT_FRESH = `
  insert into idempotency (account_id, key, fingerprint, token, secret, expires_at)
  select account_id, key, fingerprint, token, secret, clock_timestamp() + make_interval(secs => $6)
  from ${ASKED} order by account_id, key
  on conflict do nothing returning token`;

// A row that its late run is completing right now is skipped: that run wins.
const TAKE_OVER = `
  with asked as (select * from ${ASKED}),
  free as materialized (
    select held.account_id, held.key from idempotency held join asked using (account_id, key)
    where held.expires_at <= clock_timestamp()
    order by held.account_id, held.key for update of held skip locked),
  taken as (
    update idempotency held
    set fingerprint = asked.fingerprint, token = asked.token, secret = asked.secret,
        claimed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $6),
        status = null, content_type = null, body = null, sealed = false
    from asked join free using (account_id, key)
    where held.account_id = asked.account_id and held.key = asked.key
    returning held.token)
  select token from taken`;

const READ_RECORDS = `
  select held.account_id, held.key, fingerprint, token,
         expires_at > clock_timestamp() as alive,
         extract(epoch from expires_at - clock_timestamp())::float8 as seconds_left,
         status, content_type, body, sealed
  from idempotency held join unnest($1::uuid[], $2::text[]) as asked(account_id, key) using (account_id, key)`;

/** Makes the records of keys that have none. @returns the tokens that won */
export const insertFresh = (dataSource: DataSource, claims: readonly TokenedClaim[], leaseSeconds: number) =>
  write(dataSource, INSERT_FRESH, claims, leaseSeconds);

/** Takes over the records whose lease or replay has ended. @returns the tokens that won */
export const takeOver = (dataSource: DataSource, claims: readonly TokenedClaim[], leaseSeconds: number) =>
  write(dataSource, TAKE_OVER, claims, leaseSeconds);

async function write(
  dataSource: DataSource,
  sql: string,
  claims: readonly TokenedClaim[],
  leaseSeconds: number,
): Promise<string[]> {
  if (claims.length === 0) return [];
  const first = firstOfEachKey(claims);
  const rows: { token: string }[] = await dataSource.query(sql, [
    first.map((claim) => claim.accountId),
    first.map((claim) => claim.key),
    first.map((claim) => claim.fingerprint),
    first.map((claim) => claim.token),
    first.map((claim) => claim.mode === 'secret'),
    leaseSeconds,
  ]);
  return rows.map((row) => row.token);
}

type RecordRow = {
  account_id: string;
  key: string;
  fingerprint: Buffer;
  token: string;
  alive: boolean;
  seconds_left: number;
} & (
  | { status: null }
  // the table's check holds status and body together
  | { status: number; content_type: string; body: Buffer; sealed: boolean }
);

/** @returns the records that exist, by `recordName` */
export async function readRecords(
  dataSource: DataSource,
  claims: readonly TokenedClaim[],
): Promise<Map<string, ClaimRecord>> {
  if (claims.length === 0) return new Map();
  const first = firstOfEachKey(claims);
  const rows: RecordRow[] = await dataSource.query(READ_RECORDS, [
    first.map((claim) => claim.accountId),
    first.map((claim) => claim.key),
  ]);
  return new Map(rows.map((row) => [nameOf(row.account_id, row.key), recordOf(row)]));
}

function recordOf(row: RecordRow): ClaimRecord {
  const { fingerprint, token, alive, seconds_left: secondsLeft } = row;
  const answer =
    row.status === null
      ? null
      : { status: row.status, contentType: row.content_type, body: row.body, sealed: row.sealed };
  return { fingerprint, token, alive, secondsLeft, completed: answer !== null, answer };
}

/** One statement may name a key once; its repetitions then meet the record of the first. */
function firstOfEachKey(claims: readonly TokenedClaim[]): TokenedClaim[] {
  const byName = new Map<string, TokenedClaim>();
  for (const claim of claims) {
    const name = recordName(claim);
    if (!byName.has(name)) byName.set(name, claim);
  }
  return [...byName.values()];
}

export const recordName = (claim: ClaimRequest): string => nameOf(claim.accountId, claim.key);

// an account id has one length, so no two pairs read the same
const nameOf = (accountId: string, key: string): string => accountId.toLowerCase() + key;
