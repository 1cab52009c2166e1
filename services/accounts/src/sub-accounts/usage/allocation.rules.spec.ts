import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate, pooledCents } from './allocation.rules.js';

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

describe('§10.5 rule 5 the pooled cost', () => {
  it.each([
    [4_000_000, 0.00002, 8_000],
    [0, 0.5, 0],
    [1_000, 0, 0],
    [1, 0.005, 1],
    [1, 0.0049, 0],
    // 1.005 as a float is a little less
    [1, 1.005, 101],
    [3, 0.1, 30],
    [1_000_000_000_000, 0.0000001, 10_000_000],
  ])('of %d messages at %d is %d cents', (messages, price, cents) => {
    expect(pooledCents(messages, price)).toBe(cents);
  });
});

describe('§10.5 rule 5 the allocation', () => {
  it.each([
    ['the example of the contract', 8_000, [1_000_000, 3_000_000, 0], [2_000, 6_000, 0]],
    ['nothing used', 0, [0, 0, 0], [0, 0, 0]],
    ['nothing to pay', 0, [5, 7], [0, 0]],
    ['thirds: the first of equals gets the cent', 100, [1, 1, 1], [34, 33, 33]],
    ['two cents left: those who lost most', 100, [1, 2, 3], [17, 33, 50]],
    ['a cent for three', 1, [1, 1, 1], [1, 0, 0]],
    ['who used nothing pays nothing', 1, [0, 1, 0], [0, 1, 0]],
    ['nobody at all', 0, [], []],
  ])('%s', (_case, cents, used, shares) => {
    expect(allocate(cents, used)).toEqual(shares);
  });

  it('sums to the whole, and nobody is off by a cent or more', () => {
    const counts = fc.array(fc.nat({ max: 1_000_000_000 }), { minLength: 1, maxLength: 50 });
    const cases = fc.tuple(fc.nat({ max: 1_000_000_000_000 }), counts);
    fc.assert(
      fc.property(cases, ([cents, used]) => {
        const total = sum(used);
        const shares = allocate(cents, used);
        expect(sum(shares)).toBe(total === 0 ? 0 : cents);
        shares.forEach((share, at) => {
          const rest = BigInt(share) * BigInt(total) - BigInt(used[at] ?? 0) * BigInt(cents);
          expect(total === 0 || (rest < BigInt(total) && rest > -BigInt(total))).toBe(true);
        });
      }),
    );
  });
});
