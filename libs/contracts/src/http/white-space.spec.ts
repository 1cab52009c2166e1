import { expect, it } from 'vitest';
import { isBlank, trimText } from './white-space.js';

it.each([
  ['\u0085a\u0085', 'a'],
  ['\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000 a b \t\n\v\f\r', 'a b'],
  // no white space: a byte order mark, a zero width space, a word joiner
  ['\ufeffa\ufeff', '\ufeffa\ufeff'],
  ['\u200ba\u2060', '\u200ba\u2060'],
  [' 😀 ', '😀'],
  ['', ''],
])('spec 3-marketing §0 rule 7 %j is trimmed to %j, by the white space of Unicode', (text, wanted) => {
  expect(trimText(text)).toBe(wanted);
  expect(isBlank(text)).toBe(wanted === '');
});

it('spec 3-marketing §0 rule 7 every character of the first plane is white space here if it is in Unicode', () => {
  for (let unit = 0; unit <= 0xffff; unit += 1) {
    const text = String.fromCharCode(unit);
    expect([unit, isBlank(text)]).toEqual([unit, /^\p{White_Space}$/u.test(text)]);
  }
});
