import { describe, expect, it } from 'vitest';
import { batchesOf } from './batches.rules.js';

const MIB = 1024 * 1024;
const contents = (...sizes: number[]) =>
  sizes.map((size, n) => ({ id: String(n), bytes: Buffer.alloc(size, n) }));

describe('batches', () => {
  it('give the position of each content, counted from 1', () => {
    const [batch] = batchesOf(contents(3, 0, 2));
    expect(batch).toMatchObject({ ids: ['0', '1', '2'], starts: [1, 4, 4], sizes: [3, 0, 2] });
    expect(batch?.bytes).toEqual(Buffer.from([0, 0, 0, 2, 2]));
  });

  it.each([
    ['nothing', [], []],
    ['what fits', [2 * MIB, 2 * MIB], [2]],
    ['one byte too many', [2 * MIB, 2 * MIB, 1], [2, 1]],
    ['a large one between small ones', [1, 20 * MIB, 1], [1, 1, 1]],
    ['more rows than a statement takes', Array<number>(1_001).fill(1), [500, 500, 1]],
  ])('%s', (_, sizes, rows) => {
    expect(batchesOf(contents(...sizes)).map((batch) => batch.ids.length)).toEqual(rows);
  });

  it('do not copy one that goes alone', () => {
    const [one] = contents(5);
    expect(batchesOf(one ? [one] : [])[0]?.bytes).toBe(one?.bytes);
  });
});
