import { expect, it } from 'vitest';
import { MAX_STEPS_PER_PLACE, slowness } from './linear-pattern.rules.js';

it.each([
  'user unknown',
  String.raw`\b(?:a|b)(?: is| was)?\b.{0,40}\bfull\b`,
  String.raw`\[TS0[1-3]\]|[+*]|\*|\+`,
  String.raw`(?<!sender )\S{1,80} gone`,
  '(?:ab){2,3}',
])('takes %s', (pattern) => expect(slowness(pattern)).toBeUndefined());

it.each([
  ['a+', 'without an end'],
  ['a*b', 'without an end'],
  ['a{2,}', 'without an end'],
  ['(?:a{1,3}b){1,3}', 'repeats what repeats'],
  ['(?:a?b){1,3}', 'repeats what repeats'],
  ['(?:x(?:a{1,3})b){1,3}', 'repeats what repeats'],
  ['a.{0,80}b.{0,80}c', 'steps from each place'],
])('does not take %s, which %s', (pattern, why) => expect(slowness(pattern)).toContain(why));

it('bounds the work of two repeats, not only their number', () => {
  expect(MAX_STEPS_PER_PLACE).toBe(5_000);
  expect(slowness('a.{0,60}b.{0,60}c')).toBeUndefined();
});
