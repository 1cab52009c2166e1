import { describe, expect, it } from 'vitest';
import { fieldBytes, fieldText, fieldValue, readRawMessage, soleAddress } from './raw-message.js';

const read = (text: string, encoding: BufferEncoding = 'utf8') => readRawMessage(Buffer.from(text, encoding));

describe('the headers of a raw message', () => {
  it('are read as they stand there, and written again byte for byte', () => {
    const text = 'From: a@b.test\r\nSubject: one\r\n two\r\n\tthree\r\nX-Ü: no\r\n'.replace('Ü', 'U');
    const given = read(`${text}\r\nbody\r\n\r\nmore\r\n`);
    if (!given.ok) throw new Error(given.problem);
    const { fields, body } = given.message;
    expect(fieldBytes(fields).toString()).toBe(text);
    expect(body.toString()).toBe('body\r\n\r\nmore\r\n');
    expect(fields.map(({ name }) => name)).toEqual(['from', 'subject', 'x-u']);
    expect(fieldValue(fields[1]!)).toBe('one two\tthree');
  });

  it('may be all there is, or not be there', () => {
    expect(read('A: b\r\n')).toMatchObject({ ok: true, message: { fields: [{ text: 'A: b' }] } });
    expect(read('\r\nbody\r\n')).toMatchObject({ ok: true, message: { fields: [] } });
    expect(read('')).toMatchObject({ ok: true, message: { fields: [] } });
  });

  it('lose lines that are nothing but blanks', () => {
    const given = read('Subject: a\r\n \r\n b\r\n\t\r\nTo: c@d.test\r\n\r\n');
    expect(given.ok && fieldBytes(given.message.fields).toString()).toBe(
      'Subject: a\r\n b\r\nTo: c@d.test\r\n',
    );
  });

  it.each([
    ['a lone LF', 'A: b\nBcc: c@d.test\r\n\r\n'],
    ['a lone CR', 'A: b\rBcc: c@d.test\r\n\r\n'],
    ['a NUL', 'A: b\0\r\n\r\n'],
    ['a line that is no header', 'A: b\r\nhello\r\n\r\n'],
    ['a blank before the colon', 'From : a@b.test\r\n\r\n'],
    ['a name beyond ASCII', 'Frоm: a@b.test\r\n\r\n'],
    ['an empty name', ': a\r\n\r\n'],
    ['a first line that is a continuation', ' A: b\r\n\r\n'],
    ['the first line of a mailbox file', 'From a@b.test Mon Jan  5 08:00:00 2026\r\nA: b\r\n\r\n'],
    ['300 KB', `A: ${'x'.repeat(300_000)}\r\n\r\n`],
    ['300 KB without an end', `A: ${'x'.repeat(300_000)}`],
  ])('have a problem with %s', (_, text) => {
    expect(read(text).ok).toBe(false);
  });

  it.each([
    ['=?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?B?IQ==?=', 'Grüße!'],
    ['Grüße', 'Grüße'],
    ['=?utf-8?Q?a=0D=0ABcc:_b=00?=', 'a Bcc: b'],
    ['=?nonsense', '=?nonsense'],
  ])('say for people: %j is %j', (value, text) => {
    expect(fieldText({ name: 'subject', text: Buffer.from(`Subject: ${value}`).toString('latin1') })).toBe(
      text,
    );
  });

  it('say Latin-1 where they are not UTF-8', () => {
    expect(fieldText({ name: 'subject', text: 'Subject: Gr\u00fc\u00dfe' })).toBe('Grüße');
  });
});

describe('the one address of a field', () => {
  it.each([
    ['a@b.test', 'a@b.test'],
    [' <a@b.test> ', 'a@b.test'],
    ['Ann <a@b.test>', 'a@b.test'],
    ['"Bee, Ann" <a@b.test>', 'a@b.test'],
    ['"x@evil.test" <a@b.test>', 'a@b.test'],
    ['"<x@evil.test>" <a@b.test>', 'a@b.test'],
    ['x@evil.test <a@b.test>', 'a@b.test'],
    ['Ann (of <Shop>) <a@b.test> (hi)', 'a@b.test'],
    ['"odd one"@b.test', '"odd one"@b.test'],
    ['<"odd one"@b.test>', '"odd one"@b.test'],
    ['=?utf-8?Q?x=40evil=2Etest?= <a@b.test>', 'a@b.test'],
  ])('of %j is %j', (value, address) => {
    expect(soleAddress(value)).toBe(address);
  });

  it.each([
    '',
    'Ann',
    'a@b.test, x@evil.test',
    'a@b.test; x@evil.test',
    '<a@b.test> <x@evil.test>',
    '<a@b.test><x@evil.test>',
    '<a@b.test> x@evil.test',
    'a@b.test x@evil.test',
    'Bee, Ann <a@b.test>',
    'group: a@b.test;',
    '<@relay.test:a@b.test>',
    '<a@b.test',
    'a@b.test>',
    '<>',
    '"a@b.test',
    '(a@b.test',
    'a@b.test)',
    '"a\\" <a@b.test>',
    'Ann\\ <a@b.test>',
    '<a@b.test(<x@evil.test>)',
  ])('of %j is a matter of opinion', (value) => {
    expect(soleAddress(value)).toBeUndefined();
  });
});
