import { describe, expect, it } from 'vitest';
import { nextSpanMs, PASSES, publishedUntil } from './republish-passes.rules.js';

describe('passes over open messages', () => {
  it('run at growing intervals, at least once a day, until the inbox no longer has the events', () => {
    const gaps = PASSES.map(({ ageSeconds }, nth) => ageSeconds - (PASSES[nth - 1]?.ageSeconds ?? 0));
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
    expect(gaps.at(-1)).toBe(86_400);
    expect(PASSES.at(-1)?.ageSeconds).toBeLessThan(7 * 86_400);
  });

  it('read longer spans where little is open, up to ten minutes', () => {
    const spans = [undefined, 10_000, 20_000, 400_000, 600_000].map((span) => nextSpanMs(span, false));
    expect(spans).toEqual([10_000, 20_000, 40_000, 600_000, 600_000]);
    expect(nextSpanMs(600_000, true)).toBe(10_000);
  });

  it('leave out events that may still be in the outbox', () => {
    const now = new Date('2026-03-01T10:00:00Z');
    expect(publishedUntil(now, undefined)).toEqual(new Date('2026-03-01T09:58:00Z'));
    expect(publishedUntil(now, new Date('2026-03-01T08:00:00Z'))).toEqual(new Date('2026-03-01T07:58:00Z'));
  });
});
