import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareOf } from './worker-share.rules.js';

it('the shares of all workers are the whole, and differ by one at most', () => {
  const workers = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(workers, fc.nat({ max: 60 }), fc.string(), (everybody, total, group) => {
      const shares = everybody.map((worker) => shareOf(total, group, worker, everybody));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }),
  );
});

it('a worker that is not registered yet counts itself', () => {
  expect(shareOf(5, 'm:1', 'alone', [])).toBe(5);
  expect([2, 3]).toContain(shareOf(5, 'm:1', 'second', ['first']));
});

it('the remainder goes to other workers with each group', () => {
  const workers = ['a', 'b', 'c', 'd'];
  const first = (group: string) => workers.find((worker) => shareOf(1, group, worker, workers) === 1);
  expect(new Set(Array.from({ length: 50 }, (_, nth) => first(`m:${nth}`)))).toEqual(new Set(workers));
});
