import { expect, it } from 'vitest';
import { z } from 'zod';
import { openObject } from './open-object.js';

const Values = openObject(z.unknown());
const problems = (given: unknown) => Values.safeParse(given).error?.issues;

it('any keys with any values are taken, numbers in their own digits among them', () => {
  const given = { a: JSON.rawJSON('1.10'), b: { c: [null] } };
  expect(Values.parse(given)).toEqual(given);
});

it('what is no object is refused, a number in its own digits as any number', () => {
  for (const given of [1, JSON.rawJSON('1.10'), 'one', [], null]) {
    expect(problems(given)).toEqual([
      expect.objectContaining({ code: 'invalid_type', expected: 'record', path: [] }),
    ]);
  }
});
