import { describe, expect, it } from 'vitest';
import { authorisedDomains, readStatisticsQuery } from './statistics-query.rules.js';

const now = new Date('2026-03-10T12:00:00Z');
const read = (given: Record<string, string | undefined>) => readStatisticsQuery(given, now);
const apiError = (status: number, message: string) => expect.objectContaining({ status, message });

describe('the query of a statistics read', () => {
  it('is the last 30 days by day when nothing is given; empty values count as absent', () => {
    const empty = {
      from_time: '',
      to_time: '',
      sender_domain: '',
      recipient_domains: '',
      tags: ' , ',
      group_by: '',
    };
    for (const given of [{}, empty]) {
      const { range, grouping, buckets, ...rest } = read(given);
      expect(range).toEqual({ from: new Date('2026-02-08T12:00:00Z'), to: now });
      expect(grouping).toBe('day');
      expect(buckets).toHaveLength(31);
      expect(rest).toEqual({ senderDomains: [], recipientDomains: null, tags: null });
    }
  });

  it('begins 30 days before its end', () => {
    expect(read({ to_time: '2026-01-31T00:00:00Z' }).range.from).toEqual(new Date('2026-01-01T00:00:00Z'));
  });

  it.each([
    '2026-03-01T02:00:00+02:00',
    '2026-03-01T02:00:00 02:00',
    '2026-02-28T23:30:00-00:30',
    '2026-03-01T00:00:00.000Z',
  ])('reads %s as that moment', (from_time) =>
    expect(read({ from_time }).range.from).toEqual(new Date('2026-03-01T00:00:00Z')),
  );

  it.each([
    [{ from_time: '2026-03-01' }, 'invalid from_time, provide a valid RFC3339 time string'],
    [{ from_time: '1772323200' }, 'invalid from_time, provide a valid RFC3339 time string'],
    [{ from_time: '2026-02-30T00:00:00Z' }, 'invalid from_time, provide a valid RFC3339 time string'],
    [{ to_time: '2026-03-01T00:00:00' }, 'invalid to_time, provide a valid RFC3339 time string'],
    [{ from_time: '2026-03-10T12:00:00Z' }, 'from_time must be before to_time'],
    [
      { from_time: '2026-03-02T00:00:00Z', to_time: '2026-03-01T00:00:00Z' },
      'from_time must be before to_time',
    ],
    [
      { tags: Array.from({ length: 21 }, (_, nth) => `t${nth}`).join(',') },
      'tags must have at most 20 items',
    ],
    [{ tags: 'a,b\0' }, 'invalid tags'],
    [{ recipient_domains: '\0' }, 'invalid recipient_domains'],
    [{ group_by: 'year' }, 'invalid group_by (one of hour, day, week, month)'],
    [{ group_by: 'Day' }, 'invalid group_by (one of hour, day, week, month)'],
    [{ group_by: 'hour', from_time: '2026-01-01T00:00:00Z' }, 'time range is too large for group_by'],
    [{ group_by: 'x', from_time: 'y' }, 'invalid from_time, provide a valid RFC3339 time string'],
  ])('%j is refused', (given, message) => {
    expect(() => read(given)).toThrow(apiError(400, message));
  });

  it('splits lists at commas, trims, drops empty and duplicate items', () => {
    const given = { recipient_domains: ' Mail.Test.,, münchen.test ,mail.test', tags: 'a, B ,a' };
    const { recipientDomains, tags } = read(given);
    expect(new Set(recipientDomains)).toEqual(new Set(['mail.test', 'xn--mnchen-3ya.test']));
    expect(tags).toEqual(['a', 'B']);
  });
});

describe('the sending domains that are summed up', () => {
  const of = (scopes: string[], given: string[] = []) => authorisedDomains({ scopes }, given);
  const scoped = ['statistics-transactional:read:{a.test}', 'statistics-transactional:read:{b.test}'];

  it('are all with `:all`, those of the key with domain scopes', () => {
    expect(of(['*'])).toBeNull();
    expect(of(['statistics-transactional:read:all', ...scoped])).toBeNull();
    expect(of(scoped)).toEqual(['a.test', 'b.test']);
  });

  it('are the given ones, each in its normal form', () => {
    expect(of(['*'], ['A.test.', 'a.test'])).toEqual(['a.test']);
    expect(of(scoped, ['B.TEST'])).toEqual(['b.test']);
  });

  it('are all authorised, or none is read', () => {
    const text = 'api key does not have sufficient permissions to read statistics';
    for (const given of [['c.test'], ['a.test', 'c.test'], ['a.test', 'nonsense']]) {
      expect(() => of(scoped, given)).toThrow(apiError(403, text));
    }
    expect(() => of(['*'], ['a.test', 'nonsense'])).toThrow(
      apiError(400, 'invalid sender_domain: nonsense (one of your domains)'),
    );
  });
});
