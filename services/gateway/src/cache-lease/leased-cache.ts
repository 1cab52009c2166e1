import { LRUCache } from 'lru-cache';
import type { CacheLeaseResponse } from '@postmesh/contracts';
import { BatchedLookups } from './batched-lookups.js';

/** What a service says of one query, and the state of all keys and credentials at which it looked. */
export interface Found<V> {
  readonly revision: number;
  /** undefined: there is no such thing */
  readonly value: V | undefined;
}

/**
 * One moment on two clocks, ms. The monotonic one stands still while the machine sleeps, so that a lease would be found
 * alive that others know as ended; the time of day goes on, but may be set back. So a lease is judged by both.
 */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const momentNow = (): Moment => ({ monotonic: performance.now(), wall: Date.now() });

export interface LeasedCacheOptions<Q, V extends object> {
  readonly max: number;
  readonly lookups: BatchedLookups<Q, Found<V>>;
  /** by which a change names a value: the key or credential, or its account */
  readonly namesOf: (value: V) => { id: string; accountId: string };
}

/**
 * What belongs to accounts and is served without asking. It is served only while the gateway holds a lease (CacheLease),
 * and what has changed is dropped before the response to the change, so nobody ever meets a state that was revoked. What
 * does not exist is not remembered: a new key or credential works at once.
 */
export class LeasedCache<Q, V extends object> {
  private readonly values: LRUCache<string, V>;
  /** changes up to here are applied; undefined before the first lease */
  private applied: number | undefined;
  /** on both clocks: it holds while neither has passed */
  private leasedUntil: Moment = { monotonic: 0, wall: 0 };

  constructor(private readonly options: LeasedCacheOptions<Q, V>) {
    this.values = new LRUCache({ max: options.max });
  }

  /** @returns undefined where it has to be looked up */
  known(id: string): V | undefined {
    return this.leased ? this.values.get(id) : undefined;
  }

  /**
   * @returns undefined for what does not exist
   * @throws Transient when it cannot be looked up
   */
  async lookUp(id: string, query: Q): Promise<V | undefined> {
    const { revision, value } = await this.options.lookups.ask(id, query, this.leased);
    // what was looked up before a change that is applied already may be what the change revoked
    if (value && this.applied !== undefined && revision >= this.applied) this.values.set(id, value);
    return value;
  }

  /** What the next request for a lease says. */
  get acked(): number | null {
    return this.applied ?? null;
  }

  /** @param asked when the lease was asked for: it runs from then */
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
