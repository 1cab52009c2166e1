import { newId } from '@postmesh/contracts';
import { GroupCommit, serverOf, type SessionMark } from '@postmesh/database';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import type { Settings } from '@postmesh/settings';
import type { DataSource, EntityManager } from 'typeorm';
import {
  claimKeys,
  isAbandoned,
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type IdempotentRun,
  type TokenedClaim,
} from './claims.js';
import { fateOf, fingerprint, retryAfter } from './idempotency.rules.js';
import { enterKey, forgetEntry, yieldKey, type Entered, type KeyOfAccount } from './key-register.js';
import {
  pruneExpired,
  releaseKey,
  RunOvertaken,
  storeResponses,
  type EndedRun,
  type RunResponse,
  type StoredResponse,
} from './stored-responses.js';

/** In seconds; the first of `secretKeys` encrypts, every one decrypts. */
export type IdempotencySettings = Pick<
  Settings,
  'idempotencyLeaseSeconds' | 'idempotencyTtlSeconds' | 'idempotencySecretTtlSeconds' | 'secretKeys'
>;

// Two flushers: one commits while the other one's statement runs.
const GROUP = { maxWeight: 500, flushers: 2, maxPending: 10_000 };

/**
 * Idempotency keys of one service (spec 1-platform §4), kept in its table `idempotency` (`IDEMPOTENCY_MIGRATIONS`).
 * The steps of a request: `idempotencyKeyOf` the header, `fingerprint`, `claim`; a run then ends with exactly one
 * of `complete`, `completeMany`, `completeAlone` and `release`. The key of a run that ends with none (the process
 * died) is released when the end of its process is detected, else with its lease.
 *
 * Before a replay is sent, the caller checks that the API key has the operation's scope (§4.3.10).
 */
export class Idempotency {
  private readonly claims: GroupCommit<TokenedClaim, ClaimOutcome>;
  private readonly responsesAlone: GroupCommit<StoredResponse, boolean>;
  private readonly box: SecretBox;

  /**
   * @param dataSource of the service, with the table in its search path
   * @param mark liveness lock of this process; without it a claim ends with its lease only
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: IdempotencySettings,
    mark?: Pick<SessionMark, 'current'>,
  ) {
    this.box = new SecretBox(settings.secretKeys);
    const { idempotencyLeaseSeconds: leaseSeconds } = settings;
    const group = { ...GROUP, server: serverOf(dataSource) };
    this.claims = new GroupCommit(
      async (requests) =>
        claimKeys(dataSource, requests, { leaseSeconds, holder: (await mark?.current()) ?? null }),
      group,
    );
    this.responsesAlone = new GroupCommit(async (responses) => {
      const stored = await storeResponses(dataSource.manager, responses);
      return responses.map(({ run }) => stored.has(run.token));
    }, group);
  }

  /** @see fingerprint */
  fingerprint(method: string, path: string, rawBody: Uint8Array, digest?: string): Promise<Buffer> {
    return fingerprint(method, path, rawBody, digest);
  }

  /**
   * Claims the key, or returns what prevents it (the table of §4.3). Claims that arrive together share one commit.
   * A `run` is durable when it is returned.
   * @throws Transient when too many claims wait; the driver's error when the database is unavailable
   * @throws Error when a stored response was encrypted with a key that is no longer configured
   */
  async claim(request: ClaimRequest): Promise<Claim> {
    const token = newId();
    const outcome = await this.claims.add({ ...request, token });
    switch (outcome.kind) {
      case 'run': {
        const { accountId, key, mode } = request;
        return { kind: 'run', run: { accountId, key, mode, token } };
      }
      case 'in-progress':
        return { kind: 'in-progress', retryAfterSeconds: retryAfter(outcome.secondsLeft, outcome.isWatched) };
      case 'mismatch':
      case 'elsewhere':
        return outcome;
      case 'replay': {
        const { status, contentType, body, sealed } = outcome.response;
        return { kind: 'replay', status, contentType, body: sealed ? this.open(request, body) : body };
      }
    }
  }

  /**
   * For the service that keeps the register: enters a key of an operation of another service.
   * @param freed the entry of a service that gave the key up
   */
  enter(entered: KeyOfAccount & { home: string; freed?: string | undefined }): Promise<Entered> {
    const { idempotencyLeaseSeconds, idempotencyTtlSeconds, idempotencySecretTtlSeconds } = this.settings;
    const seconds = idempotencyLeaseSeconds + Math.max(idempotencyTtlSeconds, idempotencySecretTtlSeconds);
    return enterKey(this.dataSource, entered, seconds);
  }

  /** For the service that keeps the register: deletes the entry of a service that gave the key up. */
  forget(entry: KeyOfAccount & { entry: string }): Promise<void> {
    return forgetEntry(this.dataSource, entry);
  }

  /**
   * Gives the key up to another service, unless this one holds it.
   * @returns false when the key is in progress or completed here
   */
  yield(asked: KeyOfAccount & { entry: string; to: string }): Promise<boolean> {
    return yieldKey(this.dataSource, asked);
  }

  /**
   * Ends a run in the transaction of its effect: both are committed or neither.
   * @throws RunOvertaken when another run has taken the key over; the error must roll the transaction back
   * @throws RangeError for a response that releases the key (5xx): its effect must not be committed
   */
  complete(manager: EntityManager, run: IdempotentRun, response: RunResponse): Promise<void> {
    return this.completeMany(manager, [{ run, response }]);
  }

  /** `complete` for many runs in one statement; one overtaken run fails all of them. */
  async completeMany(manager: EntityManager, ended: readonly EndedRun[]): Promise<void> {
    const kept = ended.filter(({ run, response }) => {
      const fate = fateOf(run.mode, response.status);
      if (fate === 'released')
        throw new RangeError(`${response.status} releases the key, so its effect must not be committed`);
      return fate === 'stored';
    });
    const stored = await storeResponses(
      manager,
      kept.map((one) => this.keep(one)),
    );
    if (stored.size < kept.length) throw new RunOvertaken(kept.length - stored.size);
  }

  /**
   * Ends a run whose response has no effect to share a transaction with: errors. The response decides the state of
   * the key (§4.3, §4.4): stored, held until the lease ends, or released.
   * @returns false when the run was overtaken and its response was not stored
   */
  async completeAlone(run: IdempotentRun, response: RunResponse): Promise<boolean> {
    switch (fateOf(run.mode, response.status)) {
      case 'stored':
        return this.responsesAlone.add(this.keep({ run, response }));
      case 'held':
        return true;
      case 'released':
        await this.release(run);
        return true;
    }
  }

  /**
   * Releases the key after a 5xx or an exception (§4.3.3): a retry at once runs again. Does nothing when the run
   * was completed (by a commit whose reply was lost) or overtaken.
   */
  release(run: IdempotentRun): Promise<void> {
    return releaseKey(this.dataSource.manager, run);
  }

  /**
   * @returns whether the key is in progress or completed in this service, and neither its lease, its process nor
   *   its replay has ended
   */
  async isHeld({ accountId, key }: Pick<ClaimRequest, 'accountId' | 'key'>): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `select from idempotency record where account_id = $1 and key = $2 and home is null
         and expires_at > clock_timestamp() and not ${isAbandoned('record')}`,
      [accountId, key],
    );
    return rows.length > 0;
  }

  /** Deletes expired records until none is left, in pieces; to be called every minute. @returns rows deleted */
  prune(signal: AbortSignal): Promise<number> {
    const { idempotencyLeaseSeconds, idempotencyTtlSeconds, idempotencySecretTtlSeconds } = this.settings;
    return pruneExpired(this.dataSource, {
      leaseSeconds: idempotencyLeaseSeconds,
      ttlSeconds: idempotencyTtlSeconds,
      secretTtlSeconds: idempotencySecretTtlSeconds,
      signal,
    });
  }

  private keep({ run, response }: EndedRun): StoredResponse {
    const { status, contentType, body } = response;
    const secret = run.mode === 'secret';
    const { idempotencySecretTtlSeconds, idempotencyTtlSeconds } = this.settings;
    const ttlSeconds = secret ? idempotencySecretTtlSeconds : idempotencyTtlSeconds;
    const sealed = secret || response.encrypt === true;
    return { run, status, contentType, ttlSeconds, sealed, body: sealed ? this.seal(run, body) : body };
  }

  // latin1 maps any bytes to the strings of SecretBox and back
  private seal(run: IdempotentRun, body: Buffer): Buffer {
    return Buffer.from(this.box.seal(body.toString('latin1'), belongsTo(run.accountId, run.key)));
  }

  private open(request: ClaimRequest, sealed: Buffer): Buffer {
    const { accountId, key } = request;
    return Buffer.from(this.box.open(sealed.toString('latin1'), belongsTo(accountId, key)), 'latin1');
  }
}

/** The associated data of §4.4.1. An account id has one length, so no two pairs read the same. */
const belongsTo = (accountId = '', key = ''): string => `idempotency/${accountId}/${key}`;

/** Replays outlive a rotation of the secret keys. */
export const STORED_RESPONSES: SealedColumn = {
  kind: 'stored-responses',
  table: 'idempotency',
  primaryKey: { account_id: 'uuid', key: 'text' },
  column: 'body',
  type: 'bytea',
  where: 'sealed',
  about: belongsTo,
};
