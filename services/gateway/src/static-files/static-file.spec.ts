import { describe, expect, it } from 'vitest';
import { etagOf, isKnown } from './static-file.js';

const ETAG = etagOf(Buffer.from('a'));

describe('validators', () => {
  it('are equal only for equal bytes', () => {
    expect(etagOf(Buffer.from('a'))).toBe(ETAG);
    expect(etagOf(Buffer.from('b'))).not.toBe(ETAG);
    expect(ETAG).toMatch(/^"[\w-]{43}"$/);
  });

  it.each([
    [undefined, false],
    ['', false],
    ['"other"', false],
    [ETAG, true],
    [`W/${ETAG}`, true],
    [`"other" , ${ETAG}`, true],
    ['*', true],
  ])('%j is known: %j', (given, known) => {
    expect(isKnown(given, ETAG)).toBe(known);
  });
});
