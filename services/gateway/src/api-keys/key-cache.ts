import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { IpNetworks, Transient, type OperationSpec, type Principal } from '@postmesh/contracts';
import { KeyLookupResponse, type KnownKey, type Rehash } from '@postmesh/accounts-contract';
import type { Limit } from '@postmesh/concurrency';
import { InternalClient } from '@postmesh/http';
import { Pepper } from '@postmesh/secrets';
import { BatchedLookups } from '../cache-lease/batched-lookups.js';
import { LeasedCache, type Found } from '../cache-lease/leased-cache.js';

/** A key, or a session of the console, with the facts for its checks. */
export interface ActiveKey {
  /** the same object while the facts are unchanged */
  readonly principal: Principal;
  readonly allowList: IpNetworks;
  readonly blocked: boolean;
  /** the account's own limits; missing ones are in the settings */
  readonly limits: Readonly<Partial<Record<OperationSpec['rate'], Limit>>>;
  /** ms since 1970; undefined: never used */
  lastReportedUse: number | undefined;
  /** sent with the reports of its use while its stored hash is not under the current pepper */
  readonly rehash: Rehash | undefined;
  /** ms since 1970, of a session: from then on it is looked up again */
  readonly validUntil: number | undefined;
  /** ms since 1970, of a session whose member has a passkey: until then it counts as used */
  readonly confirmedUntil: number | undefined;
  /** of such a session: what its member confirms with */
  readonly confirmedBy: KnownKey['confirmed_by'];
  /** sealed, of a key that was found by its access key: its requests are signed */
  readonly sealedSigningSecret: string | undefined;
}

type LookUp = () => Promise<ActiveKey | undefined>;

const MAX_KEYS = 20_000;
const MAX_PER_LOOKUP = 250;
// A keyed hash costs ten times as much as a plain one, so it is made once per key. The secret itself is not kept.
const MAX_HASHES = 5_000;

/** A look-up in the accounts service. */
interface LookUpPath {
  readonly path: string;
  /** for errors */
  readonly what: string;
  /** what is sent of a secret; hashes unless given */
  readonly idsOf?: (secret: string) => readonly string[];
  readonly bodyOf?: (ids: readonly string[]) => object;
}

/**
 * A cache of secrets that the accounts service knows by their hashes. It serves from memory only under a lease of that
 * service (cache-lease.ts); unknown secrets are looked up in batches.
 */
abstract class SecretCache {
  /** by the first hash of the secret */
  readonly keys: LeasedCache<readonly string[], ActiveKey>;
  /** by the plain hash of the secret; only of known keys, so that guesses use no memory */
  private readonly hashes = new LRUCache<string, readonly string[]>({ max: MAX_HASHES });

  protected constructor(
    private readonly pepper: Pepper,
    private readonly client: InternalClient,
    private readonly lookUpPath: LookUpPath,
  ) {
    this.keys = new LeasedCache({
      max: MAX_KEYS,
      lookups: new BatchedLookups({
        ask: (queries) => this.ask(queries),
        maxPerBatch: MAX_PER_LOOKUP,
        what: lookUpPath.what,
      }),
      namesOf: ({ principal }) => ({ id: principal.key_id, accountId: principal.account_id }),
    });
  }

  /**
   * @param admit calls the look-up, or rejects
   * @returns undefined for an unknown secret; no promise when the key is cached
   * @throws Transient when the look-up in the accounts service fails
   */
  find(
    secret: string,
    admit: (ask: LookUp) => ReturnType<LookUp> = (ask) => ask(),
  ): ActiveKey | undefined | Promise<ActiveKey | undefined> {
    const digest = hash('sha256', secret, 'base64');
    const hashes = this.hashes.get(digest) ?? this.idsOf(secret);
    const id = hashes[0] ?? '';
    const known = this.keys.known(id);
    if (!known || hasEnded(known)) return admit(() => this.keys.lookUp(id, hashes));
    if (!this.hashes.has(digest)) this.hashes.set(digest, hashes);
    return known;
  }

  /** @returns undefined also for one that was not served from memory yet */
  known(secret: string): ActiveKey | undefined {
    const id = this.hashes.get(hash('sha256', secret, 'base64'))?.[0];
    return id === undefined ? undefined : this.keys.known(id);
  }

  private idsOf(secret: string): readonly string[] {
    if (this.lookUpPath.idsOf) return this.lookUpPath.idsOf(secret);
    return this.pepper.candidates(secret).map((candidate) => candidate.toString('base64'));
  }

  private async ask(queries: readonly (readonly string[])[]): Promise<Found<ActiveKey>[]> {
    const { path, what, bodyOf = (hashes) => ({ hashes }) } = this.lookUpPath;
    const body = bodyOf(queries.flat());
    const request = { method: 'POST' as const, path, body };
    const response = await this.client.request('accounts', request, KeyLookupResponse);
    if (!response) throw new Transient(`the accounts service does not know lookups of ${what}`);
    const byHash = new Map(response.keys.map((key) => [key.hash, key]));
    return queries.map((hashes) => {
      const key = byHash.get(hashes.find((one) => byHash.has(one)) ?? '');
      const value = key && activeKey(key, this.rehashOf(key, hashes[0] ?? ''));
      return { revision: response.revision, value };
    });
  }

  private rehashOf({ hash: from, pepper_id: stored }: KnownKey, to: string): Rehash | undefined {
    const pepper_id = this.pepper.keyId;
    return stored === undefined || stored === pepper_id ? undefined : { from, to, pepper_id };
  }
}

/** The cache of API keys. */
@Injectable()
export class KeyCache extends SecretCache {
  constructor(pepper: Pepper, client: InternalClient) {
    super(pepper, client, { path: '/internal/keys/lookup', what: 'API keys' });
  }
}

/** The cache of API keys by their access keys, whose ids are no secrets (decision 138). */
@Injectable()
export class AccessKeyCache extends SecretCache {
  constructor(pepper: Pepper, client: InternalClient) {
    super(pepper, client, {
      path: '/internal/ses-credentials/lookup',
      what: 'access keys',
      idsOf: (accessKeyId) => [accessKeyId],
      bodyOf: (access_key_ids) => ({ access_key_ids }),
    });
  }
}

/** The cache of sessions of the console (decision 116). */
@Injectable()
export class SessionCache extends SecretCache {
  constructor(pepper: Pepper, client: InternalClient) {
    super(pepper, client, { path: '/internal/sessions/lookup', what: 'sessions' });
  }
}

const hasEnded = ({ validUntil }: ActiveKey): boolean => validUntil !== undefined && validUntil <= Date.now();

function activeKey(key: KnownKey, rehash: Rehash | undefined): ActiveKey {
  return {
    principal: key.principal,
    allowList: new IpNetworks(key.ip_allow_list),
    blocked: key.blocked,
    limits: ownLimits(key.rate_limits),
    lastReportedUse: key.last_used_at === null ? undefined : Date.parse(key.last_used_at),
    rehash,
    validUntil: key.valid_until === undefined ? undefined : Date.parse(key.valid_until),
    confirmedUntil: key.confirmed_until === undefined ? undefined : Date.parse(key.confirmed_until),
    confirmedBy: key.confirmed_by,
    sealedSigningSecret: key.sealed_signing_secret,
  };
}

function ownLimits(given: KnownKey['rate_limits']): ActiveKey['limits'] {
  const limits: Partial<Record<OperationSpec['rate'], Limit>> = {};
  for (const rate of ['general', 'statistics'] as const) {
    const own = given?.[rate];
    if (own) limits[rate] = { perSecond: own.per_second, burst: own.burst };
  }
  return limits;
}
