import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BooleanParameter, commaSeparated, timeParameter } from './query-values.js';

describe('§1.1 rule 8 a boolean of a query', () => {
  it('is exactly true or false', () => {
    expect(BooleanParameter.parse('true')).toBe(true);
    expect(BooleanParameter.parse('false')).toBe(false);
  });

  it.each(['', 'True', 'FALSE', '1', '0', 'yes', ' true', 'null'])('is not %j', (text) => {
    expect(BooleanParameter.safeParse(text).success).toBe(false);
  });

  it('may be absent where it is optional, and is a boolean in the API document', () => {
    const optional = BooleanParameter.optional();
    expect(optional.parse(undefined)).toBeUndefined();
    expect(z.toJSONSchema(optional, { io: 'input' })).toMatchObject({ type: 'boolean' });
  });
});

describe('§1.1 rule 9 a comma-separated list', () => {
  it.each([
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b c ,', ['a', 'b c']],
    [',, ,', []],
    ['', []],
  ])('%j is %j', (text, items) => {
    expect(commaSeparated(text)).toEqual(items);
  });
});

describe('a moment of a query', () => {
  it.each([undefined, ''])('is absent when it is %j', (text) =>
    expect(timeParameter('from_time', text)).toBeUndefined(),
  );

  it.each(['2026-03-01T02:00:00+02:00', '2026-03-01T02:00:00 02:00', '2026-03-01T00:00:00.000Z'])(
    'is read from %s, whether the plus was escaped or not',
    (text) => expect(timeParameter('from_time', text)).toEqual(new Date('2026-03-01T00:00:00Z')),
  );

  it.each(['2026-03-01', '1772323200', '2026-02-30T00:00:00Z', '2026-03-01 02:00', ' 02:00', 'x'])(
    'is not %s',
    (text) =>
      expect(() => timeParameter('from_time', text)).toThrow(
        'invalid from_time, provide a valid RFC3339 time string',
      ),
  );
});
