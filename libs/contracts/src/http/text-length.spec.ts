import { describe, expect, it } from 'vitest';
import { isLongerThan } from './text-length.js';

describe('the length of a text', () => {
  it.each([
    ['', 0, false],
    ['abc', 3, false],
    ['abcd', 3, true],
    ['😀😀😀', 3, false],
    ['😀😀😀😀', 3, true],
    ['😀😀ab', 3, true],
    ['x'.repeat(7), 3, true],
  ])('%j against %i characters: %j', (text, characters, longer) => {
    expect(isLongerThan(text, characters)).toBe(longer);
  });

  it('is not counted when it cannot be at the limit', () => {
    const endless = 'x'.repeat(2 ** 25);
    const begun = performance.now();
    for (let time = 0; time < 1_000; time += 1) isLongerThan(endless, 255);
    // counting all of them takes minutes
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
