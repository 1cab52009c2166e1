import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eachBounded } from './each-bounded.js';

describe('bounded work on each item', () => {
  it('runs for all items, with bounded concurrency', async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await eachBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      most = Math.max(most, (running += 1));
      await soon();
      running -= 1;
      done.push(item);
    });
    expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('fails with the first failure, after all others were tried', async () => {
    const tried: number[] = [];
    const work = eachBounded([1, 2, 3, 4], 1, async (item) => {
      tried.push(item);
      if (item % 2 === 0) throw new Error(`no. ${item}`);
    });
    await expect(work).rejects.toThrow('no. 2');
    expect(tried).toEqual([1, 2, 3, 4]);
  });

  it('is nothing for no items', async () => {
    await eachBounded([], 8, () => Promise.reject(new Error('called')));
  });
});
