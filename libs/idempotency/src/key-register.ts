import type { DataSource } from 'typeorm';
import { isAbandoned, type ClaimRequest } from './claims.js';

/** A run of another service that reserves its key for its account. */
export interface Reservation extends Pick<ClaimRequest, 'accountId' | 'key' | 'fingerprint'> {
  /** the service that holds the key */
  home: string;
  /** of the run */
  token: string;
}

/**
 * The other services. A key belongs to an account, whatever the operation (spec 1-platform §4.2 rule 1), and each
 * service keeps the keys of its operations in the database of their effects. One of them keeps the register of all:
 * the others enter their runs there before they start.
 */
export interface Elsewhere {
  /**
   * Set in every service except the one that keeps the register.
   * @returns false when another service holds the key
   * @throws Transient when the register cannot be queried
   */
  reserve?(reservation: Omit<Reservation, 'home'>): Promise<boolean>;
  /** @throws Transient when the service cannot be queried */
  isHeld(home: string, request: Pick<ClaimRequest, 'accountId' | 'key'>): Promise<boolean>;
}

/**
 * The holder of a key: `own` = the service that keeps the register; `gone` = no service any more; else another
 * service.
 */
export type Holder = { kind: 'own' } | { kind: 'gone' } | { kind: 'elsewhere'; home: string; token: string };

// A service is right about its own keys, so its newer run replaces the entry of an older one.
const RESERVE = `
  insert into idempotency (account_id, key, fingerprint, token, secret, expires_at, home)
  values ($1, $2, $3, $4, false, clock_timestamp() + make_interval(secs => $5), $6)
  on conflict (account_id, key) do update
    set fingerprint = excluded.fingerprint, token = excluded.token, secret = false, home = excluded.home,
        claimed_at = clock_timestamp(), expires_at = excluded.expires_at,
        status = null, content_type = null, body = null, sealed = false, holder = null
    where idempotency.home = excluded.home or idempotency.expires_at <= clock_timestamp()
       or ${isAbandoned('idempotency')}
  returning token`;

/**
 * Writes into the register that another service holds a key.
 * @param seconds the longest time for which it may hold it
 * @returns undefined when the entry is written, else the holder
 */
export async function reserveKey(
  dataSource: DataSource,
  { accountId, key, fingerprint, token, home }: Reservation,
  seconds: number,
): Promise<Holder | undefined> {
  const parameters = [accountId, key, fingerprint, token, seconds, home];
  const written: unknown[] = await dataSource.query(RESERVE, parameters);
  if (written.length > 0) return undefined;
  const [row]: { home: string | null; token: string }[] = await dataSource.query(
    'select home, token from idempotency where account_id = $1 and key = $2',
    [accountId, key],
  );
  if (!row) return { kind: 'gone' };
  if (row.home === null) return { kind: 'own' };
  return { kind: 'elsewhere', home: row.home, token: row.token };
}

/** Deletes the register's entry of a run that has ended. */
export async function forgetReservation(
  dataSource: DataSource,
  { accountId, key, token }: Pick<Reservation, 'accountId' | 'key' | 'token'>,
): Promise<void> {
  await dataSource.query(
    'delete from idempotency where account_id = $1 and key = $2 and token = $3 and home is not null',
    [accountId, key, token],
  );
}
