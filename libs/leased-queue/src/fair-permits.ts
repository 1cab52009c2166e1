import { Permits } from '@postmesh/concurrency';

/** How much more may begin: for each key that has work in flight, and for every other key. */
export interface FreePermits {
  readonly keys: readonly string[];
  /** of the keys, in their order */
  readonly permits: readonly number[];
  /** of a key that has nothing in flight */
  readonly others: number;
}

/** An account may have three times as many permits of a key as stay free for the others of that key. */
export const FLOW_SHARE = 3;

/** @returns how many more of a key's free permits an account may take that uses some of them */
export const flowShare = (keyPermits: number, used: number): number =>
  Math.ceil((FLOW_SHARE * keyPermits - used) / (FLOW_SHARE + 1));

/**
 * Permits that are shared fairly, so that slow keys never take the whole worker. Nobody may have more than `share`
 * times what stays free: with k greedy keys and share 1, each gets a (k+1)th of the worker and as much stays free;
 * with share 3 one gets three quarters, two get three sevenths each.
 */
export class FairPermits {
  private readonly inUse: Permits;

  /** @param maxPerKey however free the worker is */
  constructor(
    private readonly maxPerKey: number,
    private readonly share = 1,
  ) {
    this.inUse = new Permits(maxPerKey);
  }

  occupy(key: string): void {
    this.inUse.occupy(key);
  }

  release(key: string): void {
    this.inUse.release(key);
  }

  /** @param workerFree permits of the worker that are free */
  free(key: string, workerFree: number): number {
    return this.shareOf(this.inUse.inUseOf(key), workerFree);
  }

  all(workerFree: number): FreePermits {
    const inUse = [...this.inUse.entries()];
    return {
      keys: inUse.map(([key]) => key),
      permits: inUse.map(([, used]) => this.shareOf(used, workerFree)),
      others: this.shareOf(0, workerFree),
    };
  }

  private shareOf(used: number, workerFree: number): number {
    const fair = Math.ceil((workerFree * this.share - used) / (1 + this.share));
    return Math.max(0, Math.min(this.maxPerKey - used, fair));
  }
}
