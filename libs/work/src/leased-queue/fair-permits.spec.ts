import { describe, expect, it } from 'vitest';
import { FairPermits } from './fair-permits.js';

const PLACES = 200;
const upTo = (most: number) => () => most;

/** Keys with endless backlogs, each ending one attempt a turn and then taking as many as it may. */
function sharesOf(keys: readonly string[], permits: FairPermits): number[] {
  const taken = new Map(keys.map((key) => [key, 0]));
  const free = () => PLACES - [...taken.values()].reduce((sum, one) => sum + one, 0);
  for (let turn = 0; turn < 500; turn++) {
    for (const key of keys) {
      const before = taken.get(key) ?? 0;
      if (before > 0) permits.release(key);
      taken.set(key, Math.max(0, before - 1));
      const more = permits.free(key, free());
      for (let nth = 0; nth < more; nth++) permits.occupy(key);
      taken.set(key, (taken.get(key) ?? 0) + more);
    }
  }
  return [...taken.values()];
}

const slow = (count: number) => Array.from({ length: count }, (_, nth) => `slow${nth}.test`);

describe('permits of a worker', () => {
  it('go to one key up to its bound', () => {
    expect(sharesOf(slow(1), new FairPermits(upTo(80), 1))).toEqual([80]);
  });

  it.each([2, 3, 5, 10])('are shared by %i slow keys, and as many stay free as one has', (count) => {
    const shares = sharesOf(slow(count), new FairPermits(upTo(80), 1));
    const fair = PLACES / (count + 1);
    for (const share of shares) expect(Math.abs(share - fair)).toBeLessThan(fair / 2);
    expect(PLACES - shares.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(fair / 2);
  });

  it.each([1, 2, 4])('leave a part for others when %i take three times what stays free', (count) => {
    const shares = sharesOf(slow(count), new FairPermits(upTo(PLACES), 3));
    const fair = (PLACES * 3) / (1 + 3 * count);
    for (const share of shares) expect(Math.abs(share - fair)).toBeLessThan(fair / 4);
  });

  it('are never kept from a key that has none while one is free', () => {
    const of = new FairPermits(upTo(80), 1);
    expect([200, 2, 1, 0].map((free) => of.free('a.test', free))).toEqual([80, 1, 1, 0]);
  });

  it('are given back', () => {
    const permits = new FairPermits((key) => (key === 'b.test' ? 0 : 10), 1);
    permits.occupy('a.test');
    permits.occupy('a.test');
    permits.occupy('b.test');
    expect(permits.keys()).toEqual(['a.test', 'b.test']);
    expect(permits.keys().map((key) => permits.free(key, 197))).toEqual([8, 0]);
    permits.release('a.test');
    permits.release('b.test');
    expect(permits.keys()).toEqual(['a.test']);
    expect(permits.free('a.test', 199)).toBe(9);
  });
});
