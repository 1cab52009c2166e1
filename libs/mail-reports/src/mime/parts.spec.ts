import { describe, expect, it } from 'vitest';
import { decodeCharset, decodeTransfer } from './encodings.js';
import { ownParts, readContentType, readParts, textOf, type Part } from './parts.js';

const read = (...lines: string[]): Part => readParts(Buffer.from(lines.join('\r\n'), 'latin1')).root;
const textsOf = (part: Part): string[] => ownParts(part).map((each) => textOf(each));

describe('a multipart', () => {
  it('is split at its own delimiters, not at longer ones', () => {
    const root = read(
      'Content-Type: multipart/mixed; boundary="a"',
      '',
      'preamble --a',
      '--a',
      '',
      'one --a',
      '--ab',
      '--a  ',
      'Content-Type: text/html',
      '',
      'two',
      '--a--',
      'epilogue',
      '--a',
      '',
      'three',
    );
    expect(textsOf(root)).toEqual(['one --a\r\n--ab', 'two']);
    expect(root.parts.map(({ type }) => type)).toEqual(['text/plain', 'text/html']);
  });

  it('that is cut short has what is there of its last part', () => {
    expect(
      textsOf(read('Content-Type: multipart/mixed; boundary=a', '', '--a', '', 'one', '--a', '', 'tw')),
    ).toEqual(['one', 'tw']);
  });

  it.each(['multipart/mixed', 'multipart/mixed; boundary=b', 'multipart/mixed; boundary=""'])(
    'without its boundary is a text: %s',
    (type) =>
      expect(textsOf(read(`Content-Type: ${type}`, '', '--a', '', 'one'))).toEqual(['--a\r\n\r\none']),
  );

  it('may hold parts without headers, without an empty line, and without anything', () => {
    const root = read(
      'Content-Type: multipart/mixed; boundary=a',
      '',
      '--a',
      '',
      'one',
      '--a',
      'X-Two: 2',
      '--a',
      '--a--',
    );
    expect(textsOf(root)).toEqual(['one', '', '']);
    expect(root.parts[1]?.fields.first('x-two')).toBe('2');
  });

  it('that is a digest holds messages', () => {
    const root = read(
      'Content-Type: multipart/digest; boundary=a',
      '',
      '--a',
      '',
      'Subject: x',
      '',
      'Hi',
      '--a--',
    );
    expect(root.parts[0]?.enclosed?.fields.first('subject')).toBe('x');
  });
});

describe('an enclosed message', () => {
  it.each([
    ['as it is', '', 'Subject: inner\r\n\r\nHi'],
    [
      'behind the line of a mailbox file',
      '',
      'From ann@mail.test Mon Jan  5 08:00:00 2026\r\nSubject: inner\r\n\r\nHi',
    ],
    ['in base64', 'base64', Buffer.from('Subject: inner\r\n\r\nHi').toString('base64')],
    ['in quoted-printable', 'quoted-printable', 'Subject=3A in=\r\nner\r\n\r\nHi'],
    ['with headers only', '', 'Subject: inner'],
  ])('is read %s', (_how, encoding, body) => {
    const root = read('Content-Type: message/rfc822', `Content-Transfer-Encoding: ${encoding}`, '', body);
    expect(root.enclosed?.fields.first('subject')).toBe('inner');
    expect(ownParts(root)).toEqual([root]);
  });
});

describe('header fields', () => {
  it('are unfolded, in any case; lines that are none are left out', () => {
    const { fields } = read(
      'SUBJECT: one',
      ' two',
      '\tthree',
      'no field',
      'A Name: x',
      ': y',
      'X-Empty:',
      '',
      'body',
    );
    expect(fields.list).toEqual([
      { name: 'subject', value: 'one two three' },
      { name: 'x-empty', value: '' },
    ]);
  });

  it('may end in bare line feeds, and words in them are decoded', () => {
    const { root } = readParts(Buffer.from('Subject: =?iso-8859-1?Q?f=FCr?=\nFrom: a\n\nText\n\r\nmore'));
    expect(root.fields.words('subject')).toBe('für');
    expect(textOf(root)).toBe('Text\n\r\nmore');
  });
});

describe('Content-Type', () => {
  it.each([
    [
      'Multipart/Report; report-type=delivery-status;\r\n\tboundary="a;b\\"c"',
      'multipart/report',
      { 'report-type': 'delivery-status', boundary: 'a;b"c' },
    ],
    ['text/plain; charset=utf-8; charset=koi8-r', 'text/plain', { charset: 'utf-8' }],
    ['text/plain; charset', 'text/plain', {}],
    ['text', 'text/html', {}],
    ['', 'text/html', {}],
    ['text/plain; charset="utf-8', 'text/plain', { charset: 'utf-8' }],
  ])('%j is read as far as it goes', (value, type, parameters) => {
    const read = readContentType(value, 'text/html');
    expect(read.type).toBe(type);
    expect(Object.fromEntries(read.parameters)).toEqual(parameters);
  });
});

describe('encodings', () => {
  const decode = (text: string, encoding: string, max = 100) =>
    decodeTransfer(Buffer.from(text, 'latin1'), encoding, max).toString('latin1');

  it('are undone, and what is wrong in them stays', () => {
    expect(decode('a=3Db=\r\nc=\nd=3', 'quoted-printable')).toBe('a=bcd=3');
    expect(decode('=zz=', 'quoted-printable')).toBe('=zz=');
    expect(decode('SGVs\r\nbG8=', 'base64')).toBe('Hello');
    expect(decode('=3D', '8bit')).toBe('=3D');
    expect(decode('SGVsbG8=', 'base64', 2)).toBe('He');
  });

  it('of characters are those of the part, Latin-1 where nobody knows them', () => {
    expect(decodeCharset(Buffer.from([0xd4]), 'koi8-r')).toBe('т');
    expect(decodeCharset(Buffer.from([0x80]), 'windows-1252')).toBe('€');
    expect(decodeCharset(Buffer.from([0xfc]), 'x-unknown')).toBe('ü');
    expect(decodeCharset(Buffer.from('für'), '')).toBe('für');
  });
});
