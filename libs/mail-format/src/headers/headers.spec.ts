import fc from 'fast-check';
import PostalMime, { addressParser, decodeWords } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { formatMailbox, writeMailboxes } from '../addresses/mailbox-header.js';
import { encodeWords, foldHeader, UnsafeMessage, writeHeader, writeText } from './header-field.js';

const unfold = (text: string) => text.replace(/\r\n(?=[ \t])/g, '');
const wellFormed = (text: string) => Buffer.from(text, 'utf8').toString('utf8');
const lineLengths = (text: string) => text.split('\r\n').map((line) => line.length);
const oneLine = fc
  .string({ unit: 'grapheme', maxLength: 300 })
  .filter((text) => !/[\r\n\u0000\u2028\u2029]/.test(text));

describe('a header field', () => {
  it.each([
    ['X-Plain', 'value', 'X-Plain: value'],
    ['x-Case-KEPT', 'v', 'x-Case-KEPT: v'],
    ['X-Trim', '  a  b \t', 'X-Trim: a  b'],
    ['Subject', 'Grüße', 'Subject: =?UTF-8?B?R3LDvMOfZQ==?='],
    ['Subject', 'Ihre Bestellung für Dienstag', 'Subject: =?UTF-8?Q?Ihre_Bestellung_f=C3=BCr_Dienstag?='],
    ['X-Control', 'a\u0001b', 'X-Control: =?UTF-8?B?YQFi?='],
    ['Subject', '', 'Subject: '],
  ])('%s: %j is written as %j', (name, value, line) => expect(writeHeader({ name, value })).toBe(line));

  it.each([
    ['X-A', 'a\r\nBcc: x@y.test'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\rb'],
    ['X-A', 'a\u0000b'],
    ['X-A: b\r\nY', 'v'],
    ['X A', 'v'],
    ['X:A', 'v'],
    ['', 'v'],
    ['Grüße', 'v'],
    ['References', '<grüße@mail.test>'],
    ['List-Unsubscribe', `<https://x.test/${'a'.repeat(950)}>`],
  ])('%j: %j is never written', (name, value) => {
    expect(() => writeHeader({ name, value })).toThrow(UnsafeMessage);
  });

  it('is folded within 78 characters where it has blanks, and unfolds to what it was', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[\x21-\x7e]{1,60}[ \t]{1,3}$/), { maxLength: 40 }),
        (words) => {
          const line = `X-Words: ${words.join('').trim()}`;
          const folded = foldHeader(line);
          expect(unfold(folded)).toBe(line);
          expect(folded).not.toMatch(/\r\n[ \t]*(\r\n|$)/);
          expect(Math.max(...lineLengths(folded))).toBeLessThanOrEqual(78);
        },
      ),
    );
  });

  it('comes through encoded words as it was given, in lines of at most 78 characters', () => {
    fc.assert(
      fc.property(oneLine, (text) => {
        const written = writeText('Subject', text);
        expect(decodeWords(unfold(written).slice(9))).toBe(wellFormed(text.replace(/^[ \t]+|[ \t]+$/g, '')));
        expect(Math.max(...lineLengths(written).slice(1), 0)).toBeLessThanOrEqual(78);
        expect(Math.max(...lineLengths(written))).toBeLessThanOrEqual(998);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps encoded words within 75 characters and cuts no character in two', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
        fc.nat(70),
        (text, column) => {
          const words = encodeWords(text, column).split('\r\n ');
          expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(75);
          // Decoded one by one: a character cut in two would not come back.
          expect(words.map((word) => decodeWords(word)).join('')).toBe(wellFormed(text));
        },
      ),
    );
  });

  it('shows literally a subject that looks like an encoded word', () => {
    const written = writeText('Subject', '=?utf-8?q?not_this?=');
    expect(decodeWords(unfold(written).slice(9))).toBe('=?utf-8?q?not_this?=');
  });

  it('encodes a word that is too long for any line', () => {
    const token = 'a'.repeat(5_000);
    const written = writeHeader({ name: 'X-Token', value: token });
    expect(Math.max(...lineLengths(written))).toBeLessThanOrEqual(78);
    expect(decodeWords(unfold(written).slice(9))).toBe(token);
  });
});

describe('a mailbox in a header', () => {
  it.each([
    [{ email: 'a@x.test' }, 'a@x.test'],
    [{ email: 'a@x.test', name: '' }, 'a@x.test'],
    [{ email: 'a@x.test', name: 'Ann Bee' }, 'Ann Bee <a@x.test>'],
    [{ email: 'a@x.test', name: 'Bee, Ann' }, '"Bee, Ann" <a@x.test>'],
    [{ email: 'a@x.test', name: 'Ann "the" \\ Bee' }, '"Ann \\"the\\" \\\\ Bee" <a@x.test>'],
    [{ email: 'a@x.test', name: 'x@evil.test>, <y@evil.test' }, '"x@evil.test>, <y@evil.test" <a@x.test>'],
    [{ email: '"a..b"@x.test', name: 'A' }, 'A <"a..b"@x.test>'],
    [{ email: 'a@x.test', name: 'Zoë' }, '=?UTF-8?B?Wm/Dqw==?= <a@x.test>'],
  ])('%j is %s', (mailbox, text) => expect(formatMailbox(mailbox)).toBe(text));

  it.each([
    { email: 'a@x.test\r\nBcc: b@y.test' },
    { email: 'a@x.test> <b@y.test' },
    { email: 'nobody' },
    { email: 'a@x.test', name: 'Ann\r\nBcc: b@y.test' },
    { email: 'a@x.test', name: 'Ann\u0000' },
  ])('%j is never written', (mailbox) => expect(() => formatMailbox(mailbox)).toThrow(UnsafeMessage));

  it('reads back as the same people, whatever their names', () => {
    const people = fc.array(
      fc.record({
        email: fc.stringMatching(/^[a-z]{1,20}@[a-z]{1,20}\.test$/),
        name: oneLine.map((name) => wellFormed(name).trim().replace(/\s+/g, ' ')),
      }),
      { minLength: 1, maxLength: 50 },
    );
    fc.assert(
      fc.property(people, (mailboxes) => {
        const header = writeMailboxes('To', mailboxes);
        expect(Math.max(...lineLengths(header))).toBeLessThanOrEqual(998);
        const read = addressParser(unfold(header).slice(4)).map(({ name, address }) => ({
          name,
          email: address,
        }));
        expect(read.map(({ email }) => email)).toEqual(mailboxes.map(({ email }) => email));
        expect(read.map(({ name }) => decodeWords(name))).toEqual(mailboxes.map(({ name }) => name));
      }),
      { numRuns: 500 },
    );
  });

  it('parses in a whole message', async () => {
    const header = writeMailboxes('To', [
      { email: 'a@x.test', name: 'Jürgen Größenwahn-von-und-zu-Österreich, Ältester der Überlebenden' },
      { email: 'b@x.test', name: 'B' },
    ]);
    const message = await PostalMime.parse(`${header}\r\n\r\n`);
    expect(message.to?.map(({ name }) => name)).toEqual([
      'Jürgen Größenwahn-von-und-zu-Österreich, Ältester der Überlebenden',
      'B',
    ]);
  });
});
