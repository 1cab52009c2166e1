import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutSlice } from './merged-batches.js';

/** '0-5 3-4' are two chunks. */
const chunksOf = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((one) => {
      const [from = 0, to = 0] = one.split('-').map(Number);
      return { from, to };
    });

test.each([
  { chunks: '', limit: 10, slice: '' },
  { chunks: '0-5', limit: 10, slice: '0:0-5' },
  { chunks: '0-50', limit: 10, slice: '0:0-10' },
  { chunks: '7-50', limit: 10, slice: '0:7-17' },
  { chunks: '0-50 0-50', limit: 10, slice: '0:0-5 1:0-5' },
  { chunks: '0-50 0-2', limit: 10, slice: '0:0-8 1:0-2' },
  { chunks: '4-4 0-50', limit: 10, slice: '1:0-10' },
  { chunks: '0-9 0-9 0-9', limit: 2, slice: '0:0-1 1:0-1' },
])('of $chunks, at most $limit: $slice', ({ chunks, limit, slice }) => {
  const cut = cutSlice(chunksOf(chunks), limit);
  expect(cut.map(({ chunk, from, to }) => `${chunk}:${from}-${to}`).join(' ')).toBe(slice);
});

test('a slice is as full as it can be, and begins at the offset of each chunk', () => {
  const chunk = fc.tuple(fc.nat(30), fc.nat(30)).map(([from, more]) => ({ from, to: from + more }));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 14 }), fc.integer({ min: 1, max: 60 }), (chunks, limit) => {
      const cut = cutSlice(chunks, limit);
      const size = cut.reduce((sum, { from, to }) => sum + to - from, 0);
      const available = chunks.reduce((sum, { from, to }) => sum + to - from, 0);
      expect(size).toBe(Math.min(limit, available));
      expect(cut.every(({ chunk: index, from }) => chunks[index]?.from === from)).toBe(true);
      expect(cut.every(({ chunk: index, to }) => to <= (chunks[index]?.to ?? 0))).toBe(true);
    }),
  );
});
