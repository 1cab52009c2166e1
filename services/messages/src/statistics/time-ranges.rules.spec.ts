import { describe, expect, it } from 'vitest';
import { bucketsOf, planRead, startOf, type Grouping, type Level } from './time-ranges.rules.js';

const at = (text: string) => new Date(text.length > 10 ? `${text}Z` : `${text}T00:00:00Z`);
const range = (from: string, to: string) => ({ from: at(from), to: at(to) });
const short = (time: Date) =>
  time
    .toISOString()
    .replace(/(T00:00)?:00\.000Z$/, '')
    .replace(/\.000Z$/, '');

describe('the beginning of a bucket', () => {
  it.each([
    ['hour', '2026-03-04T05:06:07', '2026-03-04T05:00'],
    ['hour', '2026-03-04T05:00:00', '2026-03-04T05:00'],
    ['day', '2026-03-04T23:59:59', '2026-03-04'],
    ['week', '2026-03-04T05:00:00', '2026-03-02'],
    ['week', '2026-03-02T00:00:00', '2026-03-02'],
    ['week', '2026-03-01T23:59:59', '2026-02-23'],
    ['week', '2024-03-01T00:00:00', '2024-02-26'],
    ['week', '2027-01-01T00:00:00', '2026-12-28'],
    ['month', '2024-02-29T12:00:00', '2024-02-01'],
    ['month', '2026-12-31T23:59:59', '2026-12-01'],
    ['day', '0033-01-01T12:00:00', '0033-01-01'],
  ] as [Grouping, string, string][])('by %s of %s is %s', (grouping, time, expected) => {
    expect(short(startOf(grouping, at(time)))).toBe(expected);
  });
});

describe('the buckets of a range', () => {
  const shown = (from: string, to: string, grouping: Grouping) =>
    bucketsOf(range(from, to), grouping)?.map((bucket) => `${short(bucket.from)} ${short(bucket.to)}`);

  it('are all that overlap it, with their natural bounds', () => {
    expect(shown('2026-03-01T12:00:00', '2026-03-03T00:00:00', 'day')).toEqual([
      '2026-03-01 2026-03-02',
      '2026-03-02 2026-03-03',
    ]);
    expect(shown('2026-03-01T12:00:00', '2026-03-03T00:00:01', 'week')).toEqual([
      '2026-02-23 2026-03-02',
      '2026-03-02 2026-03-09',
    ]);
    expect(shown('2024-02-10', '2024-03-02', 'month')).toEqual([
      '2024-02-01 2024-03-01',
      '2024-03-01 2024-04-01',
    ]);
    expect(shown('2026-03-01T12:10:00', '2026-03-01T12:20:00', 'hour')).toEqual([
      '2026-03-01T12:00 2026-03-01T13:00',
    ]);
  });

  it('have a leap day in a leap year alone', () => {
    expect(shown('2024-02-28', '2024-03-02', 'day')).toHaveLength(3);
    expect(shown('2026-02-28', '2026-03-02', 'day')).toHaveLength(2);
  });

  it('are 1,000 at most', () => {
    expect(shown('2026-01-01', '2026-02-11T16:00:00', 'hour')).toHaveLength(1_000);
    expect(shown('2026-01-01', '2026-02-11T16:00:01', 'hour')).toBeUndefined();
    expect(shown('0001-01-01', '9999-12-31', 'month')).toBeUndefined();
  });
});

describe('the rows for a range', () => {
  const now = at('2026-05-20T12:00:00');
  const completeUntil = { day: at('2026-05-20'), month: at('2026-05-01') };
  const plan = (from: string, to: string, grouping: Grouping, known = { completeUntil, now }) => {
    const { counters, facts } = planRead(range(from, to), grouping, known);
    return [
      ...counters.map((part) => `${part.level} ${short(part.from)} ${short(part.to)}`),
      ...facts.map((part) => `facts ${short(part.from)} ${short(part.to)}`),
    ];
  };

  it('are the coarsest that its buckets allow', () => {
    expect(plan('2026-01-01', '2026-04-01', 'month')).toEqual(['month 2026-01-01 2026-04-01']);
    expect(plan('2026-01-01', '2026-04-01', 'day')).toEqual(['day 2026-01-01 2026-04-01']);
    expect(plan('2026-01-01', '2026-04-01', 'week')).toEqual(['day 2026-01-01 2026-04-01']);
    expect(plan('2026-03-01', '2026-04-01', 'hour')).toEqual(['hour 2026-03-01 2026-04-01']);
  });

  it('are hours and single facts at the edges', () => {
    expect(plan('2026-04-29T10:30:00', '2026-05-20T11:15:00', 'day')).toEqual([
      'hour 2026-04-29T11:00 2026-04-30',
      'day 2026-04-30 2026-05-20',
      'hour 2026-05-20 2026-05-20T11:00',
      'facts 2026-04-29T10:30 2026-04-29T11:00',
      'facts 2026-05-20T11:00 2026-05-20T11:15',
    ]);
    expect(plan('2026-05-19T10:30:00', '2026-05-19T10:40:00', 'month')).toEqual([
      'facts 2026-05-19T10:30 2026-05-19T10:40',
    ]);
    expect(plan('2026-05-19T10:30:00', '2026-05-19T11:10:00', 'hour')).toEqual([
      'facts 2026-05-19T10:30 2026-05-19T11:00',
      'facts 2026-05-19T11:00 2026-05-19T11:10',
    ]);
  });

  it('include no incomplete day or month', () => {
    expect(plan('2026-04-01', '2026-06-01', 'month')).toEqual([
      'month 2026-04-01 2026-05-01',
      'day 2026-05-01 2026-05-20',
      'hour 2026-05-20 2026-06-01',
    ]);
    const behind = { completeUntil: { day: at('2026-05-01'), month: at('2026-04-01') }, now };
    expect(plan('2026-04-01', '2026-06-01', 'month', behind)).toEqual([
      'day 2026-04-01 2026-05-01',
      'hour 2026-05-01 2026-06-01',
    ]);
  });

  it('are whole hours that begin inside where single facts are gone, so that ranges add up', () => {
    expect(plan('2026-01-01T10:30:00', '2026-01-01T12:10:00', 'day')).toEqual([
      'hour 2026-01-01T11:00 2026-01-01T12:00',
      'hour 2026-01-01T12:00 2026-01-01T13:00',
    ]);
    expect(plan('2026-01-01T12:10:00', '2026-01-01T13:00:00', 'day')).toEqual([]);
    expect(plan('2026-01-01T10:30:00', '2026-01-01T10:40:00', 'day')).toEqual([]);
  });

  it('cover every moment once, for any range', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 500; round++) {
      const from = new Date(+at('2026-04-20') + random(30 * 24 * 60) * 60_000);
      const to = new Date(+from + (1 + random(20 * 24 * 60)) * 60_000);
      const grouping = (['hour', 'day', 'week', 'month'] as const)[random(4)]!;
      const { counters, facts } = planRead({ from, to }, grouping, { completeUntil, now });
      const parts = [...counters, ...facts].sort((a, b) => +a.from - +b.from);
      expect([+parts[0]!.from, +parts.at(-1)!.to]).toEqual([+from, +to]);
      parts.slice(1).forEach((part, nth) => expect(+part.from).toBe(+parts[nth]!.to));
      const aligned = (level: Level, time: Date) => +startOf(level, time) === +time;
      for (const { level, ...part } of counters) {
        expect(aligned(level, part.from) && aligned(level, part.to)).toBe(true);
      }
    }
  });
});
