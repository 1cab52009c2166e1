import type { DataSource } from 'typeorm';
import { entryOf, isAbandoned, type ClaimRequest, type KeyHolder } from './claims.js';

/**
 * A key belongs to an account, whatever the operation (spec 1-platform §4.2 rule 1), and each service keeps the keys of
 * its operations in the database of their effects. One of them keeps the register of all: the gateway enters a key of
 * another service there before it forwards the request.
 */
export type KeyOfAccount = Pick<ClaimRequest, 'accountId' | 'key'>;

/** `own`: the key is that of an operation of the service that keeps the register. */
export type Entered =
  { kind: 'entered'; entry: string } | { kind: 'own' } | ({ kind: 'elsewhere' } & KeyHolder);

// A service takes no request for longer than this: a request with an entry that was given up has claimed, or never will.
const IN_FLIGHT_SECONDS = 300;

// The holder of a key can be gone when it is read; after this many rounds the key counts as the register's own.
const MAX_ROUNDS = 3;

const NO_RUN = `secret = false, status = null, content_type = null, body = null, sealed = false, holder = null,
  fingerprint = excluded.fingerprint, token = excluded.token, expires_at = excluded.expires_at, home = excluded.home`;

// Entries of a key grow even if the clock does not: each entry is known to be later than those that were given up.
const ENTER = `
  insert into idempotency as record (account_id, key, fingerprint, token, secret, expires_at, home)
  values ($1, $2, '', gen_random_uuid(), false, clock_timestamp() + make_interval(secs => $3), $4)
  on conflict (account_id, key) do update
    set ${NO_RUN}, claimed_at = greatest(clock_timestamp(), record.claimed_at + interval '1 microsecond')
    where record.home = excluded.home or record.expires_at <= clock_timestamp() or ${isAbandoned('record')}
       or (record.home is not null and ${entryOf('record')} = $5::bigint)
  returning ${entryOf('record')}::text as entry`;

/**
 * Writes into the register that a service may hold a key.
 * @param seconds the longest time for which it may hold it from its claim on
 * @param freed the entry of a service that gave the key up
 */
export async function enterKey(
  dataSource: DataSource,
  { accountId, key, home, freed }: KeyOfAccount & { home: string; freed?: string | undefined },
  seconds: number,
): Promise<Entered> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parameters = [accountId, key, seconds + IN_FLIGHT_SECONDS, home, freed ?? null];
    const [written]: { entry: string }[] = await dataSource.query(ENTER, parameters);
    if (written) return { kind: 'entered', entry: written.entry };
    const [row]: { home: string | null; entry: string }[] = await dataSource.query(
      `select home, ${entryOf('record')}::text as entry from idempotency record where account_id = $1 and key = $2`,
      [accountId, key],
    );
    if (row)
      return row.home === null ? { kind: 'own' } : { kind: 'elsewhere', home: row.home, entry: row.entry };
  }
  return { kind: 'own' };
}

/** Deletes the register's entry of a service that gave the key up. */
export async function forgetEntry(
  dataSource: DataSource,
  { accountId, key, entry }: KeyOfAccount & Pick<KeyHolder, 'entry'>,
): Promise<void> {
  await dataSource.query(
    `delete from idempotency record
     where account_id = $1 and key = $2 and home is not null and ${entryOf('record')} = $3::bigint`,
    [accountId, key, entry],
  );
}

// The record of a key that was given up names the entry: requests with it are still on their way (`judge`).
const YIELD = `
  insert into idempotency as record (account_id, key, fingerprint, token, secret, claimed_at, expires_at, home)
  values ($1, $2, '', gen_random_uuid(), false, timestamptz 'epoch' + $3::bigint * interval '1 microsecond',
          clock_timestamp() + make_interval(secs => ${IN_FLIGHT_SECONDS}), $4)
  on conflict (account_id, key) do update
    set ${NO_RUN}, claimed_at = case when record.home is null then excluded.claimed_at
                                     else greatest(record.claimed_at, excluded.claimed_at) end
    where record.home is not null or record.expires_at <= clock_timestamp() or ${isAbandoned('record')}
  returning token`;

/**
 * Gives a key up unless this service holds it: a run of an entry up to this one can no longer begin.
 * @param to the service that wants it
 * @returns false when the key is in progress or completed here
 */
export async function yieldKey(
  dataSource: DataSource,
  { accountId, key, entry, to }: KeyOfAccount & { entry: string; to: string },
): Promise<boolean> {
  const written: unknown[] = await dataSource.query(YIELD, [accountId, key, entry, to]);
  return written.length > 0;
}
