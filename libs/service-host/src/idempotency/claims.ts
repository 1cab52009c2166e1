import type { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { markIsGone } from '@postmesh/database';
import { judge, type FoundRecord, type IdempotencyMode } from './idempotency.rules.js';

export interface ClaimRequest {
  /** the account of the authenticated key: the namespace of the idempotency key (§4.2.1) */
  accountId: AccountId;
  key: string;
  /** of `Idempotency.fingerprint` */
  fingerprint: Buffer;
  mode: IdempotencyMode;
  /** of the register; undefined at the service that keeps it */
  entry?: string | undefined;
}

/** The service that holds a key according to the register, and since which entry (`entryOf`). */
export interface KeyHolder {
  home: string;
  entry: string;
}

/** The right to run an operation under a key, until its lease or its process ends and another run takes the key over. */
export interface IdempotentRun {
  readonly accountId: AccountId;
  readonly key: string;
  readonly mode: IdempotencyMode;
  /** the fencing token (§4.3.6) */
  readonly token: string;
}

/** The result of a claim (the table of spec 1-platform §4.3). */
export type Claim =
  | { kind: 'run'; run: IdempotentRun }
  | { kind: 'replay'; status: number; body: Buffer; contentType: string }
  | { kind: 'in-progress'; retryAfterSeconds: number }
  | { kind: 'mismatch' }
  /** a mismatch, unless the holder gives the key up */
  | { kind: 'elsewhere'; holder: KeyHolder };

/** A claim with the token that its run will hold, chosen before the database is called. */
export interface TokenedClaim extends ClaimRequest {
  token: string;
}

/** The end of a claim: after this time, or when the session of its process has ended. */
export interface ClaimTerms {
  leaseSeconds: number;
  /** of `SessionMark`; null: only time ends the claim */
  holder: number | null;
}

export type ClaimOutcome =
  | { kind: 'run' }
  | { kind: 'mismatch' }
  | { kind: 'elsewhere'; holder: KeyHolder }
  | { kind: 'in-progress'; secondsLeft: number; isWatched: boolean }
  | { kind: 'replay'; response: CompletedResponse };

// The second round serves keys that a group names more than once and those that another process claimed meanwhile;
// a record can also vanish (released, pruned) between two statements. Later rounds happen under heavy contention
// only, where "in progress" is the correct response.
const MAX_ROUNDS = 4;

/**
 * Claims a group of keys: one statement when all are fresh or have a usable record, more for the others. Each
 * statement is its own transaction, so a claim is durable before its operation starts (spec 1-platform §4.3.1).
 * Running it again with the same tokens finds what it won before.
 * @returns the outcomes in the order of the claims
 */
export async function claimKeys(
  dataSource: DataSource,
  claims: readonly TokenedClaim[],
  terms: ClaimTerms,
): Promise<ClaimOutcome[]> {
  const outcomes = new Map<string, ClaimOutcome>();
  const open = () => claims.filter((claim) => !outcomes.has(claim.token));
  const won = (tokens: readonly string[]) => tokens.forEach((token) => outcomes.set(token, { kind: 'run' }));

  for (let round = 0; round < MAX_ROUNDS && open().length > 0; round += 1) {
    const found = await insertOrRead(dataSource, open(), terms);
    won(found.won);
    const expired: TokenedClaim[] = [];
    for (const claim of open()) {
      const outcome = outcomeOf(found.records.get(recordName(claim)), claim);
      if (outcome === 'expired') expired.push(claim);
      else if (outcome !== 'vanished') outcomes.set(claim.token, outcome);
    }
    won(await takeOver(dataSource, expired, terms));
  }
  return claims.map(
    (claim) => outcomes.get(claim.token) ?? { kind: 'in-progress', secondsLeft: 0, isWatched: false },
  );
}

function outcomeOf(
  record: ClaimRecord | undefined,
  claim: TokenedClaim,
): ClaimOutcome | 'expired' | 'vanished' {
  if (record === undefined) return 'vanished';
  const verdict = judge(record, claim);
  switch (verdict) {
    case 'own':
      return { kind: 'run' };
    case 'in-progress':
      return { kind: verdict, secondsLeft: record.secondsLeft, isWatched: record.isWatched };
    case 'replay':
      return record.response === null ? 'vanished' : { kind: verdict, response: record.response };
    case 'mismatch':
      return { kind: verdict };
    case 'elsewhere':
      return { kind: verdict, holder: { home: record.home ?? '', entry: record.entry } };
    case 'expired':
      return verdict;
  }
}

interface CompletedResponse {
  status: number;
  contentType: string;
  body: Buffer;
  sealed: boolean;
}

interface ClaimRecord extends FoundRecord {
  secondsLeft: number;
  /** the end of its process frees the key */
  isWatched: boolean;
  /** null while in progress */
  response: CompletedResponse | null;
}

const WANTED = `unnest($1::uuid[], $2::text[], $3::bytea[], $4::uuid[], $5::boolean[], $8::bigint[])
  as wanted(account_id, key, fingerprint, token, secret, entry)`;

/**
 * SQL: whether the process that held a run is gone, with the run not ended. Its effect would have come in one
 * transaction with its end, so there is none, and the token fences a transaction that is still in flight.
 */
export const isAbandoned = (record: string): string =>
  `(case when ${record}.status is null then ${markIsGone(`${record}.holder`)} else false end)`;

/**
 * SQL: the entry of a record whose key another service has. A run of this service has a time there that nothing reads
 * as an entry. `extract` is exact: whole microseconds.
 */
export const entryOf = (record: string): string =>
  `(extract(epoch from ${record}.claimed_at) * 1000000)::bigint`;

// A process that ended cannot report whether it had rejected the request: the key of a create with a secret then
// stays (§4.4.2).
const HOLDER = 'case when wanted.secret then null else $7::integer end';

// A key that has a record is read, not inserted: an insert would wait for a transaction that is just completing the
// record, and so would the whole group. Rows are inserted in the order of the key, so that two groups with the same
// keys cannot block each other.
const INSERT_OR_READ = `
  with wanted as (select * from ${WANTED}),
  known as materialized (
    select account_id, key, record.fingerprint, record.token, expires_at > clock_timestamp() and not ${isAbandoned('record')} as alive,
           extract(epoch from expires_at - clock_timestamp())::float8 as seconds_left,
           record.holder is not null as watched, status, content_type, body, sealed, home,
           ${entryOf('record')}::text as entry
    from idempotency record join wanted using (account_id, key)),
  won as (
    insert into idempotency (account_id, key, fingerprint, token, secret, expires_at, holder)
    select account_id, key, fingerprint, token, secret, clock_timestamp() + make_interval(secs => $6), ${HOLDER}
    from wanted where not exists (select from known where known.account_id = wanted.account_id and known.key = wanted.key)
    order by account_id, key
    on conflict do nothing returning token)
  select null::uuid as won, known.* from known
  union all select token, null, null, null, null, null, null, null, null, null, null, null, null, null from won`;

// A row that its late run is completing now is skipped: that run wins.
const TAKE_OVER = `
  with wanted as (select * from ${WANTED}),
  free as materialized (
    select record.account_id, record.key from idempotency record join wanted using (account_id, key)
    where record.expires_at <= clock_timestamp() or ${isAbandoned('record')}
       or (record.home is not null and ${entryOf('record')} < wanted.entry)
    order by record.account_id, record.key for update of record skip locked),
  taken as (
    update idempotency record
    set fingerprint = wanted.fingerprint, token = wanted.token, secret = wanted.secret,
        claimed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $6), holder = ${HOLDER},
        status = null, content_type = null, body = null, sealed = false, home = null
    from wanted join free using (account_id, key)
    where record.account_id = wanted.account_id and record.key = wanted.key
    returning record.token)
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
  watched: boolean;
  home: string | null;
  entry: string;
} & (
  | { status: null }
  // the table's check holds status and body together
  | { status: number; content_type: string; body: Buffer; sealed: boolean }
);

interface Found {
  /** tokens of the claims that made their record */
  won: string[];
  /** the records that existed before, by `recordName` */
  records: Map<string, ClaimRecord>;
}

/** Inserts the records of keys that have none and reads those of the others. */
async function insertOrRead(
  dataSource: DataSource,
  claims: readonly TokenedClaim[],
  terms: ClaimTerms,
): Promise<Found> {
  const rows = await dataSource.query<(WonRow | RecordRow)[]>(INSERT_OR_READ, parametersOf(claims, terms));
  const found: Found = { won: [], records: new Map() };
  for (const row of rows) {
    if (row.won !== null) found.won.push(row.won);
    else found.records.set(nameOf(row.account_id, row.key), recordOf(row));
  }
  return found;
}

/** Takes over the records whose lease, replay or process has ended. @returns the tokens that won */
async function takeOver(
  dataSource: DataSource,
  claims: readonly TokenedClaim[],
  terms: ClaimTerms,
): Promise<string[]> {
  if (claims.length === 0) return [];
  const rows = await dataSource.query<WonRow[]>(TAKE_OVER, parametersOf(claims, terms));
  return rows.map((row) => row.won);
}

function parametersOf(claims: readonly TokenedClaim[], { leaseSeconds, holder }: ClaimTerms): unknown[] {
  const first = firstOfEachKey(claims);
  return [
    first.map((claim) => claim.accountId),
    first.map((claim) => claim.key),
    first.map((claim) => claim.fingerprint),
    first.map((claim) => claim.token),
    first.map((claim) => claim.mode === 'secret'),
    leaseSeconds,
    holder,
    first.map((claim) => claim.entry ?? null),
  ];
}

function recordOf(row: RecordRow): ClaimRecord {
  const { fingerprint, token, alive, seconds_left: secondsLeft, watched: isWatched, home, entry } = row;
  const response =
    row.status === null
      ? null
      : { status: row.status, contentType: row.content_type, body: row.body, sealed: row.sealed };
  return {
    fingerprint,
    token,
    alive,
    secondsLeft,
    isWatched,
    home,
    entry,
    completed: response !== null,
    response,
  };
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

const recordName = (claim: ClaimRequest): string => nameOf(claim.accountId, claim.key);

// an account id has one length, so no two pairs read the same
const nameOf = (accountId: string, key: string): string => accountId.toLowerCase() + key;
