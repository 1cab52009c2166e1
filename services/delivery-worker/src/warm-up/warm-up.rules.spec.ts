import { describe, expect, it } from 'vitest';
import { budgetKey, budgetOf, bulkPart, nextStage, reopensAt, type StageResults } from './warm-up.rules.js';
import { scheduleOf, WARM_UP } from './warm-up.table.js';

const SCHEDULE = { first: 100, growth: 1.5, full: 1_000 };
const good: StageResults = {
  ...{ stage: 2, dayUsed: 225, delivered: 220, deferred: 5, refused: 0, complaints: 0, signals: 0 },
};

describe('a budget', () => {
  it('grows from stage to stage, an hour has an eighth of it, and at the end there is none', () => {
    expect([0, 1, 2].map((stage) => budgetOf(SCHEDULE, stage))).toEqual([
      { day: 100, hour: 13 },
      { day: 150, hour: 19 },
      { day: 225, hour: 29 },
    ]);
    expect(budgetOf(SCHEDULE, 6)).toBeUndefined();
  });

  it('reaches 100,000 messages a day within 45 days, and never doubles', () => {
    for (const row of WARM_UP) {
      const days = Array.from({ length: 45 }, (_, stage) => budgetOf(row, stage)?.day ?? Infinity);
      expect(Math.max(...days)).toBeGreaterThanOrEqual(100_000);
      for (const [nth, day] of days.slice(1).entries())
        if (Number.isFinite(day)) expect(day / (days[nth] ?? 1)).toBeLessThan(2);
    }
  });

  it('is one for all sites of a provider', () => {
    expect([budgetKey('p:mimecast:abc'), budgetKey('p:google'), budgetKey('m:12')]).toEqual([
      'p:mimecast',
      'p:google',
      'm:12',
    ]);
    expect(scheduleOf('p:outlook').growth).toBe(1.4);
    expect(scheduleOf('m:12').full).toBe(50_000);
  });

  it('leaves a fifth to single messages, less and less until its time is over', () => {
    expect([0, 0.5, 1].map((passed) => bulkPart(100, passed))).toEqual([80, 90, 100]);
    expect(bulkPart(1, 0)).toBe(1);
  });
});

describe('the stage of the next day', () => {
  it.each<[string, Partial<StageResults>, number]>([
    ['higher when the budget was used and the mail was taken', {}, 3],
    ['the same when half of it was not used', { dayUsed: 100 }, 2],
    ['the same when more than a tenth was deferred', { delivered: 190, deferred: 30 }, 2],
    ['the same when too little was delivered', { delivered: 200, refused: 20 }, 2],
    ['the same with complaints of 0.1 %', { dayUsed: 2_000, delivered: 2_000, complaints: 2 }, 2],
    ['lower with complaints of 0.3 %', { delivered: 220, complaints: 2 }, 1],
    ['not lower by one complaint', { complaints: 1 }, 3],
    ['lower when more than a quarter was deferred', { delivered: 150, deferred: 75 }, 1],
    ['lower when the provider blocked the address', { signals: 1 }, 1],
    ['the same when it slowed few messages down', { signals: 4, deferred: 4 }, 2],
    ['higher when these were hardly any', { signals: 1, deferred: 1 }, 3],
    ['never below the first', { stage: 0, signals: 1 }, 0],
    ['the same when nothing was sent', { dayUsed: 0, delivered: 0, deferred: 0 }, 2],
  ])('is %s', (_, change, stage) => {
    expect(nextStage({ ...good, ...change }, SCHEDULE)).toBe(stage);
  });
});

describe('a message beyond the budget', () => {
  const now = Date.parse('2026-01-05T10:20:00Z');
  const budget = { day: 100, hour: 13 };
  const at = (isDayOver: boolean, isBulk: boolean, before = 0) =>
    new Date(reopensAt(budget, { isDayOver, isBulk, before }, now)).toISOString();

  it('waits for the next hour, or the next day', () => {
    expect(at(false, false)).toBe('2026-01-05T11:00:00.000Z');
    expect(at(true, false)).toBe('2026-01-06T00:00:00.000Z');
  });

  it('waits longer when it is bulk and many wait, a day at most', () => {
    expect(at(false, true, 12)).toBe('2026-01-05T11:00:00.000Z');
    expect(at(false, true, 13)).toBe('2026-01-05T12:00:00.000Z');
    expect(at(true, true, 1_000_000)).toBe('2026-01-07T00:00:00.000Z');
  });
});
