import { describe, expect, it } from 'vitest';
import { FairPermits } from './fair-permits.js';

const PLACES = 200;

/** Keys with endless backlogs, each ending one attempt a turn and then taking whatever it may. */
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
    expect(sharesOf(slow(1), new FairPermits(80))).toEqual([80]);
  });

  it.each([2, 3, 5, 10])('are shared by %i slow keys, and as many stay free as one has', (count) => {
    const shares = sharesOf(slow(count), new FairPermits(80));
    const fair = PLACES / (count + 1);
    for (const share of shares) expect(Math.abs(share - fair)).toBeLessThan(fair / 2);
    expect(PLACES - shares.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(fair / 2);
  });

  it.each([1, 2, 4])('leave a part for others when %i take three times what stays free', (count) => {
    const shares = sharesOf(slow(count), new FairPermits(PLACES, 3));
    const fair = (PLACES * 3) / (1 + 3 * count);
    for (const share of shares) expect(Math.abs(share - fair)).toBeLessThan(fair / 4);
  });

  it('are never refused to a key that has none while one is free', () => {
    expect([200, 2, 1, 0].map((free) => new FairPermits(80).free('a.test', free))).toEqual([80, 1, 1, 0]);
  });

  it('are given back', () => {
    const permits = new FairPermits(10);
    permits.occupy('a.test');
    permits.occupy('a.test');
    permits.occupy('b.test');
    expect(permits.all(197)).toEqual({ keys: ['a.test', 'b.test'], permits: [8, 9], others: 10 });
    permits.release('a.test');
    permits.release('b.test');
    expect(permits.all(199)).toEqual({ keys: ['a.test'], permits: [9], others: 10 });
  });
});
