interface Waiter {
  readonly grant: () => void;
}

/**
 * Counting permits per key, and over all keys: how much may run at once for one destination, host or account.
 * Keys without a permit in use take no memory.
 */
export class Permits<K = string> {
  private readonly used = new Map<K, number>();
  private readonly lines = new Map<K, Set<Waiter>>();
  private total = 0;

  /**
   * @param maxPerKey permits of each key
   * @param maxTotal permits of all keys together
   */
  constructor(
    readonly maxPerKey: number,
    readonly maxTotal = Infinity,
  ) {}

  /** Permits in use, of all keys. */
  get inUse(): number {
    return this.total;
  }

  inUseOf(key: K): number {
    return this.used.get(key) ?? 0;
  }

  /** Permits that `tryAcquire` would give now. Never below 0. */
  free(key: K): number {
    return Math.max(0, Math.min(this.maxPerKey - this.inUseOf(key), this.maxTotal - this.total));
  }

  /** The keys that have permits in use, with their number. */
  entries(): IterableIterator<[K, number]> {
    return this.used.entries();
  }

  /** @returns false when none is free */
  tryAcquire(key: K): boolean {
    if (this.free(key) === 0) return false;
    this.occupy(key);
    return true;
  }

  /** Counts work that runs already (claimed by a statement that knew the bound), even beyond the bound. */
  occupy(key: K): void {
    this.used.set(key, this.inUseOf(key) + 1);
    this.total += 1;
  }

  /**
   * Waits for a permit; the first of a key to come is the first to get one.
   * @throws the reason of the abort
   */
  async acquire(key: K, abort?: AbortSignal): Promise<void> {
    abort?.throwIfAborted();
    if (!this.lines.has(key) && this.tryAcquire(key)) return;
    await this.standInLine(key, abort);
  }

  /** @throws Error when the key has none in use: a release too many would let too much run */
  release(key: K): void {
    const left = this.inUseOf(key) - 1;
    if (left < 0) throw new Error(`a permit of '${String(key)}' was released twice`);
    if (left > 0) this.used.set(key, left);
    else this.used.delete(key);
    this.total -= 1;
    this.grantFirst(key);
    // one of another key may have waited for the bound of all keys
    if (this.total < this.maxTotal && this.maxTotal !== Infinity) {
      for (const waiting of this.lines.keys()) this.grantFirst(waiting);
    }
  }

  private standInLine(key: K, abort: AbortSignal | undefined): Promise<void> {
    const line = this.lines.get(key) ?? new Set();
    this.lines.set(key, line);
    return new Promise((resolve, reject) => {
      const leave = () => {
        abort?.removeEventListener('abort', giveUp);
        line.delete(waiter);
        if (line.size === 0) this.lines.delete(key);
      };
      const giveUp = () => {
        leave();
        reject(abort?.reason as Error);
      };
      const waiter: Waiter = {
        grant: () => {
          leave();
          resolve();
        },
      };
      line.add(waiter);
      abort?.addEventListener('abort', giveUp, { once: true });
    });
  }

  private grantFirst(key: K): void {
    for (const first of this.lines.get(key) ?? []) {
      if (this.tryAcquire(key)) first.grant();
      return;
    }
  }
}
