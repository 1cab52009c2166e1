import { expect, it } from 'vitest';
import { z } from 'zod';
import { openObject } from './open-object.js';

const Values = openObject(z.unknown());
const problems = (given: unknown) => Values.safeParse(given).error?.issues;

it('any keys with any values are accepted, also raw numbers', () => {
  const given = { a: JSON.rawJSON('1.10'), b: { c: [null] } };
  expect(Values.parse(given)).toEqual(given);
});

it('a value that is no object is rejected, also a raw number', () => {
  for (const given of [1, JSON.rawJSON('1.10'), 'one', [], null]) {
    expect(problems(given)).toEqual([
      expect.objectContaining({ code: 'invalid_type', expected: 'record', path: [] }),
    ]);
  }
});
