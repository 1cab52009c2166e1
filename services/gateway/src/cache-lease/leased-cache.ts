import { LRUCache } from 'lru-cache';
import type { CacheLeaseResponse } from '@postmesh/accounts-contract';
import { BatchedLookups } from './batched-lookups.js';

/** The result of one query, and the revision of all keys and credentials at which the service read it. */
export interface Found<V> {
  readonly revision: number;
  /** undefined when it does not exist */
  readonly value: V | undefined;
}

/**
 * One moment on two clocks, ms. The monotonic clock does not advance while the machine sleeps, so it alone would keep a
 * lease that has expired for the accounts service. The wall clock advances, but may be set back. A lease needs both.
 */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const momentNow = (): Moment => ({ monotonic: performance.now(), wall: Date.now() });

export interface LeasedCacheOptions<Q, V extends object> {
  readonly max: number;
  readonly lookups: BatchedLookups<Q, Found<V>>;
  /** the names of a value in changes: the key or credential, and its account */
  readonly namesOf: (value: V) => { id: string; accountId: string };
}

/**
 * A cache of data of accounts. It serves values only while the gateway holds a lease (CacheLease), and drops changed
 * values before the response to the change, so no request uses a revoked state. Unknown values are not cached: a new key
 * or credential works at once.
 */
export class LeasedCache<Q, V extends object> {
  private readonly values: LRUCache<string, V>;
  /** changes up to here are applied; undefined before the first lease */
  private applied: number | undefined;
  /** the lease holds while neither clock has passed this */
  private leasedUntil: Moment = { monotonic: 0, wall: 0 };

  /** by the monotonic clock */
  private usedAt = performance.now();
  /** called when a value was asked for without a lease */
  onUnleased: () => void = () => undefined;

  constructor(private readonly options: LeasedCacheOptions<Q, V>) {
    this.values = new LRUCache({ max: options.max });
  }

  /** @returns undefined when it has to be looked up */
  known(id: string): V | undefined {
    this.usedAt = performance.now();
    if (this.leased) return this.values.get(id);
    this.onUnleased();
    return undefined;
  }

  /** @returns the time since a value was asked for, ms */
  get idleMs(): number {
    return performance.now() - this.usedAt;
  }

  /**
   * @returns undefined when it does not exist
   * @throws Transient when it cannot be looked up
   */
  async lookUp(id: string, query: Q): Promise<V | undefined> {
    const { revision, value } = await this.options.lookups.ask(id, query, this.leased);
    // a value read before an applied change may be the one that the change revoked
    if (value && this.applied !== undefined && revision >= this.applied) this.values.set(id, value);
    return value;
  }

  /** The revision to acknowledge in the next request for a lease. */
  get acked(): number | null {
    return this.applied ?? null;
  }

  /** @param asked the time of the request, from which the lease runs */
  apply(response: CacheLeaseResponse, asked: Moment): void {
    const { reset, key_ids: ids, account_ids: accountIds } = response;
    if (reset) this.values.clear();
    if (reset || ids.length + accountIds.length > 0) this.options.lookups.forgetInFlight();
    if (ids.length + accountIds.length > 0) this.drop(new Set(ids), new Set(accountIds));
    this.applied = response.revision;
    const { lease_ms: ms } = response;
    if (ms > 0) this.leasedUntil = { monotonic: asked.monotonic + ms, wall: asked.wall + ms };
  }

  private get leased(): boolean {
    const { monotonic, wall } = momentNow();
    return monotonic < this.leasedUntil.monotonic && wall < this.leasedUntil.wall;
  }

  private drop(ids: ReadonlySet<string>, accountIds: ReadonlySet<string>): void {
    const changed = [...this.values].filter(([, value]) => {
      const { id, accountId } = this.options.namesOf(value);
      return ids.has(id) || accountIds.has(accountId);
    });
    for (const [id] of changed) this.values.delete(id);
  }
}
