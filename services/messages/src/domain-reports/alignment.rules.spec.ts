import { describe, expect, it } from 'vitest';
import { judgeAlignment, type DayOfAlignment } from './alignment.rules.js';

const days = (shares: readonly number[], messages = 100): DayOfAlignment[] =>
  shares.map((share, nth) => ({
    day: `2026-03-${String(nth + 1).padStart(2, '0')}`,
    messages,
    aligned: Math.round(share * messages),
  }));
const GOOD = { usual: null };

describe('the alignment of a domain', () => {
  it('falls when the last two days are five points below the two weeks before', () => {
    expect(judgeAlignment(days([1, 1, 1, 0.9, 0.9]), GOOD)).toEqual({
      usual: 1,
      share: 0.9,
      change: 'fallen',
    });
  });

  it('does not fall by less, or because of a few messages', () => {
    expect(judgeAlignment(days([1, 1, 0.96, 0.96]), GOOD).change).toBeNull();
    expect(judgeAlignment(days([1, 1, 0, 0], 9), GOOD)).toEqual({ usual: null, share: null, change: null });
  });

  it('is expected to be good where there is no past', () => {
    expect(judgeAlignment(days([0.5]), GOOD)).toMatchObject({ usual: 0.95, change: 'fallen' });
    expect(judgeAlignment(days([0.95]), GOOD).change).toBeNull();
  });

  it('stays fallen, said once, until it is as before', () => {
    const fallen = { usual: 1 };
    expect(judgeAlignment(days(Array(16).fill(0.9)), fallen)).toEqual({ usual: 1, share: 0.9, change: null });
    expect(judgeAlignment(days([0.5, 0.5, 0.99, 0.99]), fallen)).toMatchObject({
      usual: null,
      change: 'recovered',
    });
  });

  it('does not depend on the order of days', () => {
    const list = days([1, 1, 1, 0.9, 0.9]);
    expect(judgeAlignment(list.toReversed(), GOOD)).toEqual(judgeAlignment(list, GOOD));
  });
});
