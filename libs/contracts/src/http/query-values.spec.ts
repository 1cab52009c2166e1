import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BooleanParameter, commaSeparated } from './query-values.js';

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
