import type { DataSource } from 'typeorm';
import type { FoundRecord } from './idempotency.rules.js';
import type { ClaimRequest } from './idempotency.types.js';

/** A claim with the token that its run will hold, chosen before the database is asked. */
export interface TokenedClaim extends ClaimRequest {
  token: string;
}

export interface CompletedResponse {
  status: number;
  contentType: string;
  body: Buffer;
  sealed: boolean;
}

export interface ClaimRecord extends FoundRecord {
  secondsLeft: number;
  /** null while in progress */
  response: CompletedResponse | null;
}

const ASKED = `unnest($1::uuid[], $2::text[], $3::bytea[], $4::uuid[], $5::boolean[])
  as asked(account_id, key, fingerprint, token, secret)`;

// A key that has a record is read, not inserted: an insert would wait for a transaction that is just
// completing the record, and the whole group with it. Rows are inserted in the order of the key, so that
// two groups with the same keys cannot block each other.
const INSERT_OR_READ = `
  with asked as (select * from ${ASKED}),
  known as materialized (
    select account_id, key, held.fingerprint, held.token, expires_at > clock_timestamp() as alive,
           extract(epoch from expires_at - clock_timestamp())::float8 as seconds_left,
           status, content_type, body, sealed, home
    from idempotency held join asked using (account_id, key)),
  won as (
    insert into idempotency (account_id, key, fingerprint, token, secret, expires_at)
    select account_id, key, fingerprint, token, secret, clock_timestamp() + make_interval(secs => $6)
    from asked where not exists (select from known where known.account_id = asked.account_id and known.key = asked.key)
    order by account_id, key
    on conflict do nothing returning token)
  select null::uuid as won, known.* from known
  union all select token, null, null, null, null, null, null, null, null, null, null, null from won`;

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
        status = null, content_type = null, body = null, sealed = false, home = null
    from asked join free using (account_id, key)
    where held.account_id = asked.account_id and held.key = asked.key
    returning held.token)
  select token as won from taken`;

interface WonRow {
  won: string;
}

type RecordRow = {
  won: null;
  account_id: string;
  key: string;
  fingerprint: Buffer;
  token: string;
  alive: boolean;
  seconds_left: number;
  home: string | null;
} & (
  | { status: null }
  // the table's check holds status and body together
  | { status: number; content_type: string; body: Buffer; sealed: boolean }
);

export interface Found {
  /** tokens of the claims that made their record */
  won: string[];
  /** the records that were there before, by `recordName` */
  records: Map<string, ClaimRecord>;
}

/** Makes the records of keys that have none and reads those of the others. */
export async function insertOrRead(
  dataSource: DataSource,
  claims: readonly TokenedClaim[],
  leaseSeconds: number,
): Promise<Found> {
  const rows = await dataSource.query<(WonRow | RecordRow)[]>(
    INSERT_OR_READ,
    parametersOf(claims, leaseSeconds),
  );
  const found: Found = { won: [], records: new Map() };
  for (const row of rows) {
    if (row.won !== null) found.won.push(row.won);
    else found.records.set(nameOf(row.account_id, row.key), recordOf(row));
  }
  return found;
}

/** Takes over the records whose lease or replay has ended. @returns the tokens that won */
export async function takeOver(
  dataSource: DataSource,
  claims: readonly TokenedClaim[],
  leaseSeconds: number,
): Promise<string[]> {
  if (claims.length === 0) return [];
  const rows = await dataSource.query<WonRow[]>(TAKE_OVER, parametersOf(claims, leaseSeconds));
  return rows.map((row) => row.won);
}

function parametersOf(claims: readonly TokenedClaim[], leaseSeconds: number): unknown[] {
  const first = firstOfEachKey(claims);
  return [
    first.map((claim) => claim.accountId),
    first.map((claim) => claim.key),
    first.map((claim) => claim.fingerprint),
    first.map((claim) => claim.token),
    first.map((claim) => claim.mode === 'secret'),
    leaseSeconds,
  ];
}

function recordOf(row: RecordRow): ClaimRecord {
  const { fingerprint, token, alive, seconds_left: secondsLeft, home } = row;
  const response =
    row.status === null
      ? null
      : { status: row.status, contentType: row.content_type, body: row.body, sealed: row.sealed };
  return { fingerprint, token, alive, secondsLeft, home, completed: response !== null, response };
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
