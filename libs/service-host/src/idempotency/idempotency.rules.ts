import { createHash, webcrypto } from 'node:crypto';
import { ApiError } from '@postmesh/contracts';

/** `secret`: the rules for creates whose response holds an API key (spec 1-platform §4.4). */
export type IdempotencyMode = 'standard' | 'secret';

const MAX_KEY_LENGTH = 255;

/**
 * Reads the `Idempotency-Key` header of an operation that honours it (spec 1-platform §4.2.3).
 * @returns undefined when there is none: absent, empty and blank are the same
 * @throws ApiError 400 when it is longer than 255 characters
 */
export function idempotencyKeyOf(header: string | readonly string[] | undefined): string | undefined {
  const key = typeof header === 'string' ? header : header?.join(', ');
  if (key === undefined || key.trim() === '') return undefined;
  if (key.length > MAX_KEY_LENGTH) {
    throw new ApiError(400, `idempotency key must be at most ${MAX_KEY_LENGTH} characters`);
  }
  return key;
}

// SHA-256 of this size takes about half a millisecond; more would block every other request.
const MAX_MAIN_THREAD_BYTES = 256 * 1024;

/**
 * The identity of a request (spec 1-platform §4.2.2): SHA-256 over method, path and the SHA-256 of the raw body
 * bytes. The body is hashed separately, so that a large one is not copied to follow the path.
 * @param path resolved, with ids; a query string is left out
 * @param digest of `REQUEST_DIGEST_HEADER`; empty for a request as its client has made it
 */
export async function fingerprint(
  method: string,
  path: string,
  rawBody: Uint8Array,
  digest = '',
): Promise<Buffer> {
  const body =
    rawBody.byteLength > MAX_MAIN_THREAD_BYTES
      ? Buffer.from(await webcrypto.subtle.digest('SHA-256', rawBody as Uint8Array<ArrayBuffer>))
      : createHash('sha256').update(rawBody).digest();
  const resolved = path.split('?', 1)[0] ?? '';
  // neither a method nor a path can hold a line feed, so the three parts cannot run into each other
  return createHash('sha256')
    .update(`${method.toUpperCase()}\n${resolved}\n`)
    .update(body)
    .update(digest)
    .digest();
}

/**
 * The state of a key after its run ended with a response:
 * - `stored`: the response is replayed from now on
 * - `held`: nothing is stored and the key stays in progress until its lease ends
 * - `released`: a retry at once runs again
 */
export type Fate = 'stored' | 'held' | 'released';

// The layers before idempotency send these responses; they leave the key as it was (§4.3.8).
const BEFORE_THE_LAYER: ReadonlySet<number> = new Set([401, 413, 415, 429]);

/** §4.3.2, §4.3.3, §4.3.8, §4.4.1-3. */
export function fateOf(mode: IdempotencyMode, status: number): Fate {
  if (BEFORE_THE_LAYER.has(status)) return 'released';
  if (status >= 200 && status < 300) return 'stored';
  if (status >= 400 && status < 500) return mode === 'secret' ? 'held' : 'stored';
  return 'released';
}

/** A key's record as found by a claim that did not win it. */
export interface FoundRecord {
  fingerprint: Buffer;
  token: string;
  /** neither the lease, the replay nor the process of the run has ended */
  alive: boolean;
  completed: boolean;
  /** the service that the key was entered for or given up to; null: this service holds it */
  home: string | null;
  /** of the register, in microseconds: the one that was made, or given up */
  entry: string;
}

/**
 * - `own`: this very claim won before, but the reply of the database was lost.
 * - `elsewhere`: an operation of another service had the key; that service decides whether it still holds it.
 */
export type Verdict = 'own' | 'elsewhere' | 'mismatch' | 'in-progress' | 'replay' | 'expired';

/**
 * The table of §4.3. A mismatch is reported first in every live state. A request whose entry was given up on its way has
 * lost the key to an operation of another service; a later entry takes it back.
 */
export function judge(
  record: FoundRecord,
  asked: { fingerprint: Buffer; token: string; entry?: string | undefined },
): Verdict {
  if (!record.completed && record.token === asked.token) return 'own';
  if (!record.alive) return 'expired';
  if (record.home !== null) {
    if (asked.entry === undefined) return 'elsewhere';
    return BigInt(asked.entry) > BigInt(record.entry) ? 'expired' : 'mismatch';
  }
  if (!record.fingerprint.equals(asked.fingerprint)) return 'mismatch';
  return record.completed ? 'replay' : 'in-progress';
}

/** A run usually ends within seconds, and the key is free as soon as its process ends. */
const LIVE_RUN_SECONDS = 5;

/**
 * `Retry-After`, whole seconds, rounded up, never 0 (§4.3): the rest of the lease, and no more than five seconds where the
 * end of the run shows earlier.
 * @param secondsLeft of the lease
 * @param isWatched the claim names its process, whose end frees the key
 */
export function retryAfter(secondsLeft: number, isWatched: boolean): number {
  const seconds = isWatched ? Math.min(secondsLeft, LIVE_RUN_SECONDS) : secondsLeft;
  return Math.max(1, Math.ceil(seconds));
}
