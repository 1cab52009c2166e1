import fc from 'fast-check';
import PostalMime, { addressParser, decodeWords } from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { parseEmailAddress } from '../addresses/email-address.rules.js';
import { encodeWords } from './encoded-words.js';
import { foldHeader } from './folding.js';
import { isDate, UnsafeMessage, writeField, writeMailboxes, writeSubject } from './header-field.js';

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
  ])('%s: %j is written as %j', (name, value, line) => expect(writeField({ name, value })).toBe(line));

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
    ['Content-Type', 'multipart/mixed; boundary=ü'],
    ['References', 'no id'],
    ['Message-ID', '<a@x.test> <b@x.test>'],
    ['List-Unsubscribe', `<https://x.test/${'a'.repeat(970)}>`],
    ['List-Unsubscribe', '<https://x.test/ü>'],
    ['List-Id', 'Größe news.shop.test'],
    [`X-${'a'.repeat(80)}`, 'v'],
  ])('%j: %j is never written', (name, value) => {
    expect(() => writeField({ name, value })).toThrow(UnsafeMessage);
  });

  it('is folded within 78 characters where it has blanks, and unfolds to the same text', () => {
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
        const written = writeSubject(text);
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
          // Decoded one by one: a character cut in two would be damaged.
          expect(words.map((word) => decodeWords(word)).join('')).toBe(wellFormed(text));
        },
      ),
    );
  });

  it('shows literally a subject that looks like an encoded word', () => {
    const written = writeSubject('=?utf-8?q?not_this?=');
    expect(decodeWords(unfold(written).slice(9))).toBe('=?utf-8?q?not_this?=');
  });

  it('encodes a word that is too long for any line', () => {
    const token = 'a'.repeat(5_000);
    const written = writeField({ name: 'X-Token', value: token });
    expect(Math.max(...lineLengths(written))).toBeLessThanOrEqual(78);
    expect(decodeWords(unfold(written).slice(9))).toBe(token);
  });
});

const REPLY_TO = (value: string, smtpUtf8 = false) => writeField({ name: 'Reply-To', value }, { smtpUtf8 });

describe('spec 2-messages §5.2: addresses in a header that a person typed', () => {
  it.each([
    ['Ann Bee <Ann@X.test>', 'Ann Bee <Ann@X.test>'],
    ['"Bee, Ann" <a@x.test> , b@x.test,', '"Bee, Ann" <a@x.test>, b@x.test'],
    ['a@x.test (Ann)', 'a@x.test (Ann)'],
    ['=?UTF-8?B?Wm/Dqw==?= <a@x.test>', '=?UTF-8?B?Wm/Dqw==?= <a@x.test>'],
    ['Zoë <a@x.test>', '=?UTF-8?B?Wm/Dqw==?= <a@x.test>'],
    ['"Zoë, \\"x\\"" <a@x.test>', '=?UTF-8?B?Wm/DqywgIngi?= <a@x.test>'],
    ['a@x.test (Zoë)', '=?UTF-8?B?Wm/Dqw==?= <a@x.test>'],
    ['a@bücher.test', 'a@xn--bcher-kva.test'],
    ['[Shop] a@x.test <a@x.test>', '"[Shop] a@x.test" <a@x.test>'],
    ['"a..b"@x.test', '"a..b"@x.test'],
    [
      'Team: a@x.test, Zoë <b@x.test>; , c@x.test',
      'Team: a@x.test, =?UTF-8?B?Wm/Dqw==?= <b@x.test>;, c@x.test',
    ],
    ['undisclosed-recipients:;', 'undisclosed-recipients:;'],
  ])('%j is written as %s', (value, text) => expect(REPLY_TO(value)).toBe(`Reply-To: ${text}`));

  it.each([
    '',
    ',',
    'not an address',
    'a@x.test b@x.test',
    'a@x.test; b@x.test',
    '<a@x.test> <b@x.test>',
    'Ann <a@x.test',
    'Ann <not an address>',
    '"Ann <a@x.test>',
    'Ann (x <a@x.test>',
    'Team: a@x.test',
    'A: B: a@x.test;;',
    'jürgen@x.test',
    'Visitor <\u674e@x.test>',
    'x\u0e0d\u0d0aX-Injected\u013avalue@x.test',
    'a@x.test\r\nBcc: b@x.test',
  ])('%j is never written', (value) => expect(() => REPLY_TO(value)).toThrow(UnsafeMessage));

  it('keep a UTF-8 local part whole with SMTPUTF8', () => {
    expect(REPLY_TO('李 <李@x.test>, b@x.test', true)).toBe(
      'Reply-To: =?UTF-8?B?5p2O?= <李@x.test>, b@x.test',
    );
  });

  it('are folded behind commas, also where no blank follows', () => {
    const addresses = Array.from({ length: 60 }, (_, nth) => `address-${nth}@shop.test`);
    const written = REPLY_TO(addresses.join(','));
    expect(unfold(written)).toBe(`Reply-To: ${addresses.join(', ')}`);
    expect(Math.max(...lineLengths(written))).toBeLessThanOrEqual(78);
  });

  it('are never another list, another header or a line that is too long, for any input', () => {
    const piece = fc.constantFrom(
      ...[
        'a@x.test',
        'Ann',
        'Zoë',
        '"',
        '\\',
        '<',
        '>',
        '(',
        ')',
        ',',
        ';',
        ':',
        ' ',
        '\r\nX-A: b',
        '李@x.test',
      ],
      ...['=?UTF-8?B?Wm/Dqw==?=', '\u0e0d\u0d0a', 'x'.repeat(990), '<b@x.test>', 'G: '],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        let written: string;
        try {
          written = REPLY_TO(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(UnsafeMessage);
          return;
        }
        expect(written).toMatch(/^Reply-To: [\x20-\x7e]*(?:\r\n [\x20-\x7e]*)*$/);
        expect(Math.max(...lineLengths(written))).toBeLessThanOrEqual(998);
        const read = addressParser(unfold(written).slice(10)).flatMap((one) => one.group ?? [one]);
        for (const { address } of read)
          if (address) expect(parseEmailAddress(address)).toMatchObject({ ok: true });
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('other structures of a header', () => {
  it.each([
    ['In-Reply-To', 'a@x.test', '<a@x.test>'],
    ['References', '<a@x.test>,<b@x.test><c@x.test>', '<a@x.test> <b@x.test> <c@x.test>'],
    ['Keywords', 'a, größer, b', 'a, =?UTF-8?B?Z3LDtsOfZXI=?=, b'],
    ['List-Id', 'Größe <news.shop.test>', '=?UTF-8?B?R3LDtsOfZQ==?= <news.shop.test>'],
    ['List-Id', 'News <news.shop.test>', 'News <news.shop.test>'],
    ['Disposition-Notification-To', 'Zoë <a@x.test>', '=?UTF-8?B?Wm/Dqw==?= <a@x.test>'],
    ['Mail-Followup-To', 'Zoë <a@x.test>', '=?UTF-8?B?Wm/Dqw==?= <a@x.test>'],
    ['X-Confirm-Reading-To', 'Zoë <a@x.test>', '=?UTF-8?B?Wm/Dqw==?= <a@x.test>'],
    ['Content-Type', 'text/plain; name="Größe 1.txt"', "text/plain; name*0*=utf-8''Gr%C3%B6%C3%9Fe%201.txt"],
    ['Content-Type', 'Text/Plain; naïve=x; charset=utf-8', 'text/plain; charset=utf-8'],
  ])('%s: %s is written as %s', (name, value, text) =>
    expect(writeField({ name, value })).toBe(`${name}: ${text}`),
  );

  it.each([
    ['Mon, 05 Jan 2026 08:00:00 +0000', true],
    ['5 Jan 2026 08:00 GMT', true],
    ['Mon, 5 Jan 2026 08:00:60 +0100 (CET)', true],
    ['yesterday', false],
    ['2026-01-05T08:00:00Z', false],
    ['Mon, 31 Feb 2026 08:00:00 +0000', false],
    ['Mon, 05 Jan 2026 24:00:00 +0000', false],
    ['Mon, 05 Jan 2026 08:00:00 +0000 junk', false],
    ['', false],
  ])('the date %j: %s', (value, good) => {
    expect(isDate(value)).toBe(good);
    if (!good) expect(() => writeField({ name: 'Date', value })).toThrow(UnsafeMessage);
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
    [{ email: 'jürgen@x.test' }, '=?UTF-8?B?asO8cmdlbkB4LnRlc3Q=?= :;'],
    [{ email: 'jürgen@x.test', name: 'J' }, '=?UTF-8?B?SiA8asO8cmdlbkB4LnRlc3Q+?= :;'],
  ])('%j is %s', (mailbox, text) => expect(writeMailboxes('To', [mailbox])).toBe(`To: ${text}`));

  it('spec 2-messages §1.5: goes beyond ASCII with SMTPUTF8 only, and never where it has to be an address', () => {
    const jürgen = { email: 'jürgen@x.test', name: 'Jürgen' };
    expect(writeMailboxes('To', [jürgen], { smtpUtf8: true })).toBe(
      'To: =?UTF-8?B?SsO8cmdlbg==?= <jürgen@x.test>',
    );
    for (const name of ['From', 'Reply-To'] as const) {
      expect(() => writeMailboxes(name, [jürgen])).toThrow(UnsafeMessage);
    }
  });

  it.each([
    { email: 'a@x.test\r\nBcc: b@y.test' },
    { email: 'a@x.test> <b@y.test' },
    { email: 'nobody' },
    { email: 'a@x.test', name: 'Ann\r\nBcc: b@y.test' },
    { email: 'a@x.test', name: 'Ann\u0000' },
  ])('%j is never written', (mailbox) =>
    expect(() => writeMailboxes('To', [mailbox])).toThrow(UnsafeMessage),
  );

  it('reads back as the same people, with any names', () => {
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
