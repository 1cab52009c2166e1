import { TokenBuckets, type Limit } from '@postmesh/concurrency';

/** A store of token buckets. */
export interface Buckets {
  /**
   * Takes one token of a bucket; a bucket that was never used is full.
   * @returns 0 when there was a token, else the seconds until there is one. Never rejects
   */
  take(name: string, limit: Limit): number | Promise<number>;
  close(): Promise<void>;
}

export const BUCKETS = Symbol('Buckets');

/** The buckets of one gateway. */
export class InProcessBuckets extends TokenBuckets implements Buckets {
  async close(): Promise<void> {}
}
