import { describe, expect, it } from 'vitest';
import { isFull, take, type Bucket } from './token-bucket.js';

const general = { perSecond: 100, burst: 200 };
const statistics = { perSecond: 1, burst: 1 };

function passing(bucket: Bucket, limit: typeof general, requests: number, nowMs: number): number {
  return Array.from({ length: requests }, () => take(bucket, limit, nowMs)).filter((wait) => wait === 0)
    .length;
}

describe('§5 token buckets', () => {
  it('3. 200 at once pass, the 201st does not; after a second 100 more pass', () => {
    const bucket = { tokens: 200, atMs: 0 };
    expect(passing(bucket, general, 201, 0)).toBe(200);
    expect(passing(bucket, general, 150, 1_000)).toBe(100);
  });

  it('3. refill is continuous: a token each 10 ms', () => {
    const bucket = { tokens: 0, atMs: 0 };
    let passed = 0;
    for (let now = 1; now <= 1_000; now += 1) passed += passing(bucket, general, 1, now);
    expect(passed).toBe(100);
  });

  it('2. statistics: the second call within the second is refused', () => {
    const bucket = { tokens: 1, atMs: 0 };
    expect(take(bucket, statistics, 0)).toBe(0);
    expect(take(bucket, statistics, 400)).toBeCloseTo(0.6);
    expect(take(bucket, statistics, 1_000)).toBe(0);
  });

  it('never gathers more than the burst', () => {
    const bucket = { tokens: 200, atMs: 0 };
    expect(passing(bucket, general, 500, 3_600_000)).toBe(200);
  });

  it('a clock that jumps back removes no tokens', () => {
    const bucket = { tokens: 5, atMs: 1_000 };
    expect(take(bucket, general, 500)).toBe(0);
    expect(bucket.tokens).toBe(4);
  });

  it('knows a full bucket', () => {
    expect(isFull({ tokens: 100, atMs: 0 }, general, 999)).toBe(false);
    expect(isFull({ tokens: 100, atMs: 0 }, general, 1_000)).toBe(true);
  });
});
