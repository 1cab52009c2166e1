export interface Limit {
  /** tokens that come per second, continuously */
  readonly perSecond: number;
  /** most tokens that gather */
  readonly burst: number;
}

export interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * Takes one token (spec 1-platform §5 rules 2 and 3). Changes the bucket.
 * @returns 0 when there was one, else the seconds until there is
 */
export function take(bucket: Bucket, limit: Limit, nowMs: number): number {
  refill(bucket, limit, nowMs);
  // refilled in steps, 100 tokens may add up to 99.999999…
  if (bucket.tokens >= 1 - 1e-9) {
    bucket.tokens -= 1;
    return 0;
  }
  return (1 - bucket.tokens) / limit.perSecond;
}

/** A full bucket is as good as none. */
export function isFull(bucket: Bucket, limit: Limit, nowMs: number): boolean {
  refill(bucket, limit, nowMs);
  return bucket.tokens >= limit.burst;
}

function refill(bucket: Bucket, limit: Limit, nowMs: number): void {
  const passed = Math.max(0, nowMs - bucket.atMs) / 1_000;
  bucket.tokens = Math.min(limit.burst, bucket.tokens + passed * limit.perSecond);
  bucket.atMs = nowMs;
}
