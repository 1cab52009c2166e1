import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmailAddress } from './email-address.rules.js';

const parsed = (text: string) => {
  const result = parseEmailAddress(text);
  return result.ok ? result.address.address : result.problem;
};

describe('an email address', () => {
  it.each([
    [' Ann@Mail.TEST ', 'ann@mail.test'],
    ['ann+tag@mail.test', 'ann+tag@mail.test'],
    ["o'hara=x/y@mail.test", "o'hara=x/y@mail.test"],
    ['ann@bücher.test', 'ann@xn--bcher-kva.test'],
    ['ANN@XN--BCHER-KVA.test', 'ann@xn--bcher-kva.test'],
    ['"ann"@mail.test', 'ann@mail.test'],
    ['"ann..x"@mail.test', '"ann..x"@mail.test'],
    ['"a\\@b"@mail.test', '"a@b"@mail.test'],
    ['"a@evil.test"@mail.test', '"a@evil.test"@mail.test'],
    ['"a\\"b"@mail.test', '"a\\"b"@mail.test'],
  ])('%j is stored as %j', (given, stored) => expect(parsed(given)).toBe(stored));

  it.each([
    ['ann@mail.test\r\nBcc: x@y.test', 'line break or control character'],
    ['ann\n@mail.test', 'line break or control character'],
    ['ann@mail.test\r\n', 'line break or control character'],
    ['ann\u0000@mail.test', 'line break or control character'],
    ['ann@mail.test\u2028', 'line break or control character'],
    ['', 'empty'],
    ['   ', 'empty'],
    ['ann', 'no @'],
    ['@mail.test', 'invalid local part'],
    ['a b@mail.test', 'invalid local part'],
    ['"a b"@mail.test', 'invalid local part'],
    ['"a>b"@mail.test', 'invalid local part'],
    ['"a\\>b"@mail.test', 'invalid local part'],
    ['""@mail.test', 'invalid local part'],
    ['.ann@mail.test', 'invalid local part'],
    ['ann.@mail.test', 'invalid local part'],
    ['a..b@mail.test', 'invalid local part'],
    ['a@b@mail.test', 'invalid local part'],
    ['<ann@mail.test>', 'invalid domain'],
    ['Ann <ann@mail.test>', 'invalid domain'],
    ['ann@localhost', 'invalid domain'],
    ['ann@mail.test.', 'invalid domain'],
    ['ann@ mail.test', 'invalid domain'],
    ['ann@-mail.test', 'invalid domain'],
    ['ann@192.0.2.1', 'invalid domain'],
    ['ann@[192.0.2.1]', 'IP address literal'],
    ['ann@[IPv6:::1]', 'IP address literal'],
    [`${'a'.repeat(65)}@mail.test`, 'too long'],
    [`${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(10)}.test`, 'too long'],
    ['ü'.repeat(33) + '@mail.test', 'too long'],
    // with any content
    ['\n'.repeat(1_001), 'too long'],
    [`  ${'@'.repeat(255)}  `, 'too long'],
    ['a@b.test,c@d.test', 'invalid local part'],
  ])('%j is refused: %s', (given, problem) => expect(parsed(given)).toBe(problem));

  it('is refused at once when it is huge', () => {
    expect(parsed(`${'a.'.repeat(5_000_000)}@mail.test`)).toBe('too long');
  });

  it('says when only a server with SMTPUTF8 can take it', () => {
    expect(parseEmailAddress('Jürgen@mail.test')).toMatchObject({
      ok: true,
      address: { address: 'jürgen@mail.test', needsSmtpUtf8: true },
    });
    expect(parseEmailAddress('ann@mail.test')).toMatchObject({ ok: true, address: { needsSmtpUtf8: false } });
  });

  it('never carries a character that could end a command or a header, and reads back as itself', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom('@a.test', ''),
        (text, tail) => {
          const result = parseEmailAddress(text + tail);
          if (!result.ok) return;
          expect(result.address.address).not.toMatch(/[\s<>\p{Cc}]/u);
          expect(parseEmailAddress(result.address.address)).toEqual(result);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
