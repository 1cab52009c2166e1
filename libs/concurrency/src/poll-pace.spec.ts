import { describe, expect, it } from 'vitest';
import { PollPace } from './poll-pace.js';

const take = (pace: PollPace, count: number) => Array.from({ length: count }, () => pace.next());

describe('the pace of a poll', () => {
  it('doubles from poll to poll, up to its bound, and begins anew when there is work', () => {
    const pace = new PollPace(1_000, 5_000);
    expect(take(pace, 5)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    pace.quicken();
    expect(take(pace, 2)).toEqual([1_000, 2_000]);
  });

  it('is even where its bound is the first interval', () => {
    expect(take(new PollPace(1_000, 1_000), 3)).toEqual([1_000, 1_000, 1_000]);
  });
});
