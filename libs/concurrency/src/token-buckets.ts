import { isFull, take, type Bucket, type Limit } from './token-bucket.js';

interface Kept extends Bucket {
  limit: Limit;
}

/**
 * Token buckets by name, of one process. A bucket that was never used is full. Bounded: full buckets go first, then those
 * that were made first.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Kept>();

  constructor(
    private readonly maxBuckets = 100_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes one token. @returns 0 when there was one, else the seconds until there is */
  take(name: string, limit: Limit): number {
    const nowMs = this.now();
    return take(this.bucket(name, limit, nowMs), limit, nowMs);
  }

  /**
   * Takes what was used already, however many tokens there are: who used more waits until they have come, at most for as
   * long as a whole burst takes.
   */
  charge(name: string, limit: Limit, tokens: number): void {
    const nowMs = this.now();
    const bucket = this.bucket(name, limit, nowMs);
    isFull(bucket, limit, nowMs);
    bucket.tokens = Math.max(bucket.tokens - tokens, -limit.burst);
  }

  get size(): number {
    return this.buckets.size;
  }

  private bucket(name: string, limit: Limit, nowMs: number): Kept {
    const bucket = this.buckets.get(name) ?? this.add(name, limit, nowMs);
    bucket.limit = limit;
    return bucket;
  }

  private add(name: string, limit: Limit, nowMs: number): Kept {
    if (this.buckets.size >= this.maxBuckets) this.makeRoom(nowMs);
    const bucket = { tokens: limit.burst, atMs: nowMs, limit };
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** Removes a tenth at a time, so that the next requests need no further search. */
  private makeRoom(nowMs: number): void {
    for (const [name, bucket] of this.buckets) {
      if (isFull(bucket, bucket.limit, nowMs)) this.buckets.delete(name);
    }
    const wanted = Math.floor(this.maxBuckets * 0.9);
    for (const name of this.buckets.keys()) {
      if (this.buckets.size <= wanted) return;
      this.buckets.delete(name);
    }
  }
}
