import { Permits } from '@postmesh/concurrency';

/**
 * Permits that are shared fairly, so that slow keys never take the whole worker. A key may have at most `share` times
 * what stays free: with k greedy keys and share 1, each gets a (k+1)th of the worker and as much stays free; with share
 * 3 one gets three quarters, two get three sevenths each.
 */
export class FairPermits {
  private readonly inUse = new Permits(Number.POSITIVE_INFINITY);

  /** @param mostOf permits of a key, however free the worker is */
  constructor(
    private readonly mostOf: (key: string) => number,
    private readonly share: number,
  ) {}

  occupy(key: string): void {
    this.inUse.occupy(key);
  }

  release(key: string): void {
    this.inUse.release(key);
  }

  /** Keys that have permits in use. */
  keys(): string[] {
    return [...this.inUse.entries()].map(([key]) => key);
  }

  /** @param workerFree permits of the worker that are free */
  free(key: string, workerFree: number): number {
    return fairShare(this.inUse.inUseOf(key), this.mostOf(key), { workerFree, share: this.share });
  }

  /** Whether some key gets more as soon as any permit of the worker comes free. */
  areShort(workerFree: number): boolean {
    const { share } = this;
    return this.keys().some(
      (key) => fairShare(this.inUse.inUseOf(key), Number.POSITIVE_INFINITY, { workerFree, share }) === 0,
    );
  }
}

/** @returns how many more permits a key may have that uses some */
export function fairShare(
  used: number,
  most: number,
  { workerFree, share }: { workerFree: number; share: number },
): number {
  const fair = Math.ceil((workerFree * share - used) / (1 + share));
  return Math.max(0, Math.min(most - used, fair));
}
