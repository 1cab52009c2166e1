import { expect, it } from 'vitest';
import { escapedText, escapedUtf8 } from './escaped-text.js';

const SLICE = 64 * 1024;
// Each of them begins at every offset around the end of a slice.
const CHARACTERS = ['é', '€', '😀', '"', '\\', '\r\n', '\u0000', '\u2028'];

it.each(CHARACTERS)('pieces of %j equal the output of JSON.stringify', (character) => {
  for (let before = SLICE - 5; before <= SLICE + 1; before += 1) {
    const text = 'x'.repeat(before) + character.repeat(9) + 'y'.repeat(10);
    for (const pieces of [[...escapedText(text)], [...escapedUtf8(Buffer.from(text))]]) {
      expect(pieces.length).toBeGreaterThan(1);
      expect(`"${pieces.join('')}"`).toBe(JSON.stringify(text));
    }
  }
});

it('bytes that are no UTF-8 are windows-1252, and end, too', () => {
  const bytes = Buffer.alloc(3 * SLICE, 0x80);
  expect([...escapedUtf8(bytes)].join('')).toBe('€'.repeat(bytes.length));
  expect([...escapedUtf8(Buffer.from('Gr\xfc\xdfe', 'latin1'))]).toEqual(['Grüße']);
  expect([...escapedUtf8(Buffer.alloc(0))]).toEqual([]);
});
