import { describe, expect, it } from 'vitest';
import { parseMessage } from '../message/parse-message.js';
import { leavesOf, readParts, textOf, type Part } from './parts.js';

const read = (...lines: string[]): Part => readParts(Buffer.from(lines.join('\r\n'), 'latin1')).root;
const textsOf = (part: Part): string[] => leavesOf(part).map((each) => textOf(each));

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

  it('that is cut short has the beginning of its last part', () => {
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
    expect(leavesOf(root)).toEqual([root]);
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
      { name: 'subject', written: 'SUBJECT', value: 'one two three' },
      { name: 'x-empty', written: 'X-Empty', value: '' },
    ]);
  });

  it('may end in bare line feeds, and words in them are decoded', () => {
    const { root } = readParts(Buffer.from('Subject: =?iso-8859-1?Q?f=FCr?=\nFrom: a\n\nText\n\r\nmore'));
    expect(root.fields.words('subject')).toBe('für');
    expect(textOf(root)).toBe('Text\n\r\nmore');
  });

  it('in raw bytes are UTF-8 where they can be, each field for itself', () => {
    const { fields } = read('Subject: Gr\xfc\xdfe \x80', 'From: Zo\xc3\xab <zoe@mail.test>', '', '');
    expect(fields.list.map(({ value }) => value)).toEqual(['Grüße €', 'Zoë <zoe@mail.test>']);
  });
});

/** Quadratic time would take minutes; a slow machine takes two seconds. */
const TIMEOUT_MS = 60_000;

describe('the largest message, of', () => {
  const LARGEST = 20 * 1024 * 1024;
  const full = (unit: string, before: string): Buffer =>
    Buffer.from(before + unit.repeat(Math.floor((LARGEST - before.length) / unit.length)), 'latin1');
  const part = (...fields: string[]) => `--b\r\n${fields.join('\r\n')}\r\n\r\n\xfc\r\n`;
  const multipart = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';

  it.each([
    ['bytes of no charset, in a text', '\xff\n', 'Content-Type: text/plain\r\n\r\n'],
    ['comments in fields', part(`Content-Type: text/plain${' ()'.repeat(2_000)}`), multipart],
    ['brackets', part(`Content-Type: text/plain; x=${'('.repeat(4_000)}`), multipart],
    ['pieces of a name', part(`Content-Type: text/plain${"; name*9*=%FF%C3%%'".repeat(200)}`), multipart],
    ['words of many charsets', '=?x-1?Q?=FF?= =?x-2?q?=FF?= ', 'Subject: '],
    ['texts that were encoded one by one', 'QQ==', 'Content-Transfer-Encoding: base64\r\n\r\n'],
  ])(
    '%s is parsed to an end',
    async (_what, unit, before) => {
      const { parts, headers } = await parseMessage(full(unit, before));
      expect(parts.length + Object.keys(headers).length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
