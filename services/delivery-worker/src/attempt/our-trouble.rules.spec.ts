import { describe, expect, it } from 'vitest';
import { waitOutTroubleMs } from './our-trouble.rules.js';

describe('a message that we cannot make', () => {
  it.each([
    [0, 15_000],
    [10_000, 15_000],
    [60_000, 60_000],
    [3_600_000, 300_000],
  ])('after %i ms of trouble waits %i ms', (lasted, wait) => {
    expect(waitOutTroubleMs(lasted, 0.5)).toBe(wait);
  });

  it('comes back spread over a fifth of its wait', () => {
    expect([0, 1].map((random) => waitOutTroubleMs(100_000, random))).toEqual([90_000, 110_000]);
  });
});
