import { describe, expect, it } from 'vitest';
import type { DnsState } from '../sending-domain/sending-domain.js';
import { isFresh, nextCheckAt } from './check-schedule.rules.js';

const SINCE = new Date('2026-01-05T08:00:00.000Z');
const MINUTE = 60_000;
const later = (minutes: number) => new Date(SINCE.getTime() + minutes * MINUTE);

describe('when the background looks next', () => {
  it.each<[DnsState, age: number, chance: number, wait: number]>([
    ['valid', 500, 0, 15],
    ['valid', 500, 1, 30],
    ['suspect', 0, 0.5, 5],
    ['pending', 0, 0, 1],
    ['pending', 1, 0, 4],
    ['pending', 5, 0, 10],
    ['pending', 15, 0, 15],
    ['pending', 29, 0, 1],
    ['pending', 30, 0, 60],
    ['pending', 14 * 24 * 60 - 1, 0, 60],
    ['pending', 14 * 24 * 60, 0, 24 * 60],
    ['invalid', 0, 0, 1],
    ['invalid', 100, 0, 60],
  ])('%s for %i minutes, chance %d: in %i minutes', (state, age, chance, wait) => {
    const next = nextCheckAt({ state, since: SINCE, now: later(age), chance });
    expect(next).toEqual(later(age + wait));
  });
});

describe('a stored result', () => {
  it('is fresh for less than 60 seconds', () => {
    expect(isFresh(null, SINCE)).toBe(false);
    expect(isFresh(SINCE, new Date(SINCE.getTime() + 59_999))).toBe(true);
    expect(isFresh(SINCE, later(1))).toBe(false);
  });
});
