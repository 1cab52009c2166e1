import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  IpNetworks,
  type CacheLeaseResponse,
  type KnownKey,
  type OperationSpec,
  type Principal,
  type Rehash,
} from '@postmesh/contracts';
import type { Limit } from '@postmesh/concurrency';
import { Pepper } from '@postmesh/secrets';
import { KeyLookups, type Found } from './key-lookups.js';

/** A key as the gateway works with it. */
export interface ActiveKey {
  /** one object for as long as the facts are the same */
  readonly principal: Principal;
  readonly allowList: IpNetworks;
  readonly blocked: boolean;
  /** the account's own; what is left out is in the settings */
  readonly limits: Readonly<Partial<Record<OperationSpec['rate'], Limit>>>;
  /** ms since 1970; undefined: never used */
  lastReportedUse: number | undefined;
  /** goes with the reports of its use while its stored hash is not under the current pepper */
  readonly rehash: Rehash | undefined;
}

const MAX_KEYS = 20_000;
// A keyed hash costs ten times what a plain one does, so it is made once per key. The secret itself is kept nowhere.
const MAX_HASHES = 5_000;

/**
 * The keys that this gateway knows. It serves them only while it holds a lease (CacheLease) and drops
 * what has changed before the response to the change, so nobody ever meets a state that was revoked. Keys that
 * do not exist are not remembered: a new key works at once.
 */
@Injectable()
export class KeyCache {
  private readonly keys = new LRUCache<string, ActiveKey>({ max: MAX_KEYS });
  /** by the plain hash of the secret; of known keys only, so that guesses take no room */
  private readonly hashes = new LRUCache<string, readonly string[]>({ max: MAX_HASHES });
  /** changes up to here are applied; undefined before the first lease */
  private applied: number | undefined;
  private leasedUntil = 0;

  constructor(
    private readonly pepper: Pepper,
    private readonly lookups: KeyLookups,
  ) {}

  /**
   * @returns undefined for a secret that is no key's; no promise where the key is known
   * @throws Transient when the key has to be looked up and the accounts service does not answer
   */
  find(secret: string): ActiveKey | undefined | Promise<ActiveKey | undefined> {
    const digest = hash('sha256', secret, 'base64');
    const hashes = this.hashes.get(digest) ?? this.peppered(secret);
    const id = hashes[0] ?? '';
    const leased = performance.now() < this.leasedUntil;
    const known = leased ? this.keys.get(id) : undefined;
    if (!known) return this.lookUp(id, hashes, leased);
    if (!this.hashes.has(digest)) this.hashes.set(digest, hashes);
    return known;
  }

  private peppered(secret: string): readonly string[] {
    return this.pepper.candidates(secret).map((candidate) => candidate.toString('base64'));
  }

  /** What the next request for a lease says. */
  get acked(): number | null {
    return this.applied ?? null;
  }

  /** @param askedAtMs when the lease was asked for, by `performance.now()`: it runs from then */
  apply(response: CacheLeaseResponse, askedAtMs: number): void {
    const { reset, key_ids: keyIds, account_ids: accountIds } = response;
    if (reset) this.keys.clear();
    if (reset || keyIds.length + accountIds.length > 0) this.lookups.forgetInFlight();
    if (keyIds.length + accountIds.length > 0) this.drop(new Set(keyIds), new Set(accountIds));
    this.applied = response.revision;
    if (response.lease_ms > 0) this.leasedUntil = askedAtMs + response.lease_ms;
  }

  private drop(keyIds: ReadonlySet<string>, accountIds: ReadonlySet<string>): void {
    const changed = [...this.keys].filter(
      ([, { principal }]) => keyIds.has(principal.key_id) || accountIds.has(principal.account_id),
    );
    for (const [id] of changed) this.keys.delete(id);
  }

  private async lookUp(
    id: string,
    hashes: readonly string[],
    leased: boolean,
  ): Promise<ActiveKey | undefined> {
    const found = await this.lookups.ask(id, hashes, leased);
    const key = found.key && activeKey(found.key, this.rehashOf(found.key, id));
    if (key && this.isFresh(found)) this.keys.set(id, key);
    return key;
  }

  private rehashOf({ hash: from, pepper_id: stored }: KnownKey, to: string): Rehash | undefined {
    const pepper_id = this.pepper.keyId;
    return stored === undefined || stored === pepper_id ? undefined : { from, to, pepper_id };
  }

  /** What was looked up before a change that is applied already may be what the change revoked. */
  private isFresh({ revision }: Found): boolean {
    return this.applied !== undefined && revision >= this.applied;
  }
}

function activeKey(key: KnownKey, rehash: Rehash | undefined): ActiveKey {
  return {
    principal: key.principal,
    allowList: new IpNetworks(key.ip_allow_list),
    blocked: key.blocked,
    limits: ownLimits(key.rate_limits),
    lastReportedUse: key.last_used_at === null ? undefined : Date.parse(key.last_used_at),
    rehash,
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
