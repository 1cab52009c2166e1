import { describe, expect, it } from 'vitest';
import type { Stream } from '@postmesh/contracts';
import { BatchLimits, MAX_BATCH_CHARACTERS } from './batch-limits.js';

const LARGE = 'x'.repeat(MAX_BATCH_CHARACTERS / 10);
const events = (stream: Stream, count: number, text = LARGE) =>
  Array.from({ length: count }, () => ({ stream, text }));

describe('a batch', () => {
  it('of small events is taken whole, up to the limit', () => {
    const limits = new BatchLimits(500);
    expect(limits.of('messages')).toBe(500);
    expect(limits.cut(events('messages', 500, 'small'))).toHaveLength(500);
    expect(limits.of('messages')).toBe(500);
  });

  it('of large events is cut, and the limit of their stream falls until a batch is taken whole', () => {
    const limits = new BatchLimits(500);
    expect(limits.cut(events('suppressions', 200))).toHaveLength(10);
    expect(limits.of('suppressions')).toBe(10);
    expect(limits.cut(events('suppressions', 5))).toHaveLength(5);
    expect(limits.of('suppressions')).toBe(20);
    for (let nth = 0; nth < 9; nth++) limits.cut(events('suppressions', 1, 'small'));
    expect(limits.of('suppressions')).toBe(500);
  });

  it('that is smaller than the limit leaves nothing behind', () => {
    const limits = new BatchLimits(500);
    limits.cut(events('suppressions', 20));
    expect(limits.areReachedBy(events('messages', 499, 'small'))).toBe(false);
    expect(limits.areReachedBy(events('messages', 500, 'small'))).toBe(true);
    expect(limits.areReachedBy([{ stream: 'messages', passed: 499 }])).toBe(true);
    expect(limits.areReachedBy([...events('messages', 8), ...events('suppressions', 9)])).toBe(false);
    expect(limits.areReachedBy([...events('messages', 8), ...events('suppressions', 10)])).toBe(true);
  });

  it('leaves the other streams their size', () => {
    const limits = new BatchLimits(500);
    const read = [...events('messages', 3, 'small'), ...events('suppressions', 20), ...events('domains', 1)];
    expect(limits.cut(read).map(({ stream }) => stream)).toEqual([
      ...events('messages', 3).map(() => 'messages'),
      ...events('suppressions', 9).map(() => 'suppressions'),
    ]);
    expect([limits.of('messages'), limits.of('suppressions'), limits.of('domains')]).toEqual([500, 9, 500]);
  });

  it('has one event at least, however large', () => {
    const limits = new BatchLimits(500);
    const huge = events('messages', 3, 'x'.repeat(MAX_BATCH_CHARACTERS + 1));
    expect(limits.cut(huge)).toHaveLength(1);
    expect(limits.cut(huge.slice(1))).toHaveLength(1);
    expect(limits.cut([])).toEqual([]);
  });
});
