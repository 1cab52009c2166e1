import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeCharset } from './charsets.js';
import { decodeWords } from './encoded-words.js';
import { firstToken, readParameters } from './parameters.rules.js';
import { base64Of, decodeTransfer, readTransferEncoding } from './transfer-encodings.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('a charset', () => {
  it.each([
    'utf-8',
    '',
    'us-ascii',
    'iso-8859-1',
    'windows-1252',
    'iso-8859-15',
    "'utf-8'",
    'utf8mb4',
    'utf_8',
    'utf-8; format=flowed',
    'unknown-8bit',
    'hex',
    'unicode',
    'x'.repeat(1_000),
  ])('%s: valid UTF-8 is UTF-8, other bytes are windows-1252', (label) => {
    expect(decodeCharset(Buffer.from('Grüße 😀'), label)).toBe('Grüße 😀');
    const other = label === 'iso-8859-15' ? 'Grüße' : '\u201cGrüße\u201d';
    const bytes = label === 'iso-8859-15' ? latin1('Gr\xfc\xdfe') : latin1('\x93Gr\xfc\xdfe\x94');
    // UTF-16 has no bytes that are wrong in pairs
    if (label !== 'unicode') expect(decodeCharset(bytes, label)).toBe(other);
  });

  it.each([
    ['koi8-r', 'Привет'],
    ['KOI8R', 'Привет'],
    ['windows-1251', 'Привет'],
    ['win-1251', 'Привет'],
    ['iso8859_2', 'Zażółć'],
    ['iso-8859-15', '5 €'],
    ['cp850', 'Grüße'],
    ['IBM437', 'Grüße'],
    ['macintosh', 'Grüße'],
    ['shift_jis', '日本語'],
    ['cp932', '日本語'],
    ['x-sjis', '日本語'],
    ['euc-kr', '한국어'],
    ['ks_c_5601-1987', '한국어'],
    ['gb2312', '中文'],
    ['gb18030', '中文 😀'],
    ['big5', '中文'],
    ['iso-2022-jp', '日本語'],
    ['utf-16le', 'Grüße 日本'],
    ['utf-16', 'Grüße 日本'],
  ])('%s is read as it says: %s', (label, text) => {
    const japanese = Buffer.from('\u001b$BF|K\\8l\u001b(B');
    const name = { KOI8R: 'koi8-r', 'x-sjis': 'shift_jis', 'ks_c_5601-1987': 'euc-kr' }[label] ?? label;
    const bytes = label === 'iso-2022-jp' ? japanese : iconv.encode(text, name);
    expect(decodeCharset(bytes, label)).toBe(text);
  });

  it('of several bytes a character that the bytes are not of is not believed', () => {
    expect(decodeCharset(Buffer.from('Grüße €'), 'gb2312')).toBe('Grüße €');
    expect(decodeCharset(latin1('\x82\xa0\xff'), 'shift_jis')).toBe('あ\ufffd');
  });

  it('of a text with a character cut in two stays UTF-8, and only that byte is read otherwise', () => {
    const cut = Buffer.from('Grüße und für 😀').subarray(0, -1);
    expect(decodeCharset(cut, 'utf-8')).toBe('Grüße und für ðŸ˜');
    // one character of UTF-8 by chance, among more that are none
    expect(decodeCharset(latin1('L\u00c9T\u00c9\u00a0! pr\u00e9f\u00e9r\u00e9'), '')).toBe(
      'LÉTÉ\u00a0! préféré',
    );
  });
});

describe('an encoded word', () => {
  it.each([
    ['=?utf-8?Q?Gr=C3=BC=C3=9Fe?= an =?utf-8?q?Zo=C3=AB?=', 'Grüße an Zoë'],
    ['=?utf-8?B?R3LDvA==?= \t =?UTF-8?Q?=C3=9Fe?=', 'Grüße'],
    // a character cut in two, in two ways
    ['=?utf-8?Q?Gr=C3?= =?utf-8?Q?=BC=C3?= =?utf-8?B?nw==?=e', 'Grüße'],
    ['=?utf8mb4?Q?=C3=BC?= =?unknown-8bit?Q?=FC?= =?x?Q?=80?=', 'üü€'],
    ['=?iso-8859-1?Q?=93a=94?=', '\u201ca\u201d'],
    ['=?us-ascii?Q?=FC_x?=', 'ü x'],
    ['=?utf-8*de?Q?=C3=BC?=', 'ü'],
    ['"=?utf-8?Q?=C3=BC?=" <a@b.test>', '"ü" <a@b.test>'],
    ['=?utf-8?Q?not closed', '=?utf-8?Q?not closed'],
    ['=?utf-8?X?a?= =?=?= =??Q?a?=', '=?utf-8?X?a?= =?=?= =??Q?a?='],
  ])('%j is %j', (text, decoded) => expect(decodeWords(text)).toBe(decoded));
});

describe('a field with parameters', () => {
  it.each([
    [
      'Multipart/Report; report-type=delivery-status;\r\n\tboundary="a;b\\"c"',
      'multipart/report',
      { 'report-type': 'delivery-status', boundary: 'a;b"c' },
    ],
    ['text/plain; charset=utf-8; charset=koi8-r', 'text/plain', { charset: 'utf-8' }],
    ['text/plain; charset', 'text/plain', {}],
    ['text/plain; charset="utf-8', 'text/plain', { charset: 'utf-8' }],
    [
      '(a) text/html (b; (c="d)); charset (e) = (f) "utf-8" (g); x=y',
      'text/html',
      { charset: 'utf-8', x: 'y' },
    ],
    ['attachment; filename=Invoice (1).pdf', 'attachment', { filename: 'Invoice (1).pdf' }],
    ['attachment; filename*0="Nr. "; filename*1="17.pdf"', 'attachment', { filename: 'Nr. 17.pdf' }],
    [
      'attachment; filename*1="  b.p"; filename*2="df"; filename*0="a,"',
      'attachment',
      { filename: 'a,  b.pdf' },
    ],
    [
      'attachment; filename=x; filename*0*=utf-8\'de\'Gr%C3; filename*1*=%BC; filename*2="%20e"',
      'attachment',
      { filename: 'Grü%20e' },
    ],
    ["a; n*=utf-8''100%%20%C3%BC; m*=x'y'%FC; o*=%C3%BC", 'a', { n: '100% ü', m: 'ü', o: 'ü' }],
    ['multipart/mixed; boundary*0="a"; boundary*1=b', 'multipart/mixed', { boundary: 'ab' }],
    ['', '', {}],
  ])('%j is read as far as it goes', (field, value, parameters) => {
    const read = readParameters(field);
    expect([read.value, Object.fromEntries(read.parameters)]).toEqual([value, parameters]);
  });

  it('may be a token and more that counts for nothing', () => {
    expect(['inline;', ' "inline" x', 'Inline (a)', '(a)inline'].map(firstToken)).toEqual(
      Array.from({ length: 4 }, () => 'inline'),
    );
  });
});

describe('a transfer encoding', () => {
  const decode = (text: string, encoding: string, max = 100) =>
    decodeTransfer(latin1(text), readTransferEncoding(encoding), max).toString('latin1');

  it.each(['base64', ' BASE64;', 'base64 (by hand)', '"base64"', 'base-64', 'base64, 8bit', '(x) base64'])(
    '%s is base64',
    (written) => {
      expect(decode('SGVs\r\nbG8=', written)).toBe('Hello');
      expect([...base64Of(latin1('SGVs\r\nbG8=\r\n'), readTransferEncoding(written))].join('')).toBe(
        'SGVsbG8=',
      );
    },
  );

  it('is undone, and faulty parts of it stay', () => {
    expect(decode('a=3Db=\r\nc=\nd=3', 'Quoted-Printable;')).toBe('a=bcd=3');
    expect(decode('=zz=', 'quoted_printable (by hand)')).toBe('=zz=');
    expect(decode('=3D', '8bit')).toBe('=3D');
    expect(decode('=3D', 'x-uuencode')).toBe('=3D');
    expect(decode('SGVsbG8=', 'base64', 2)).toBe('He');
    expect(decode('SGVsbG8=\r\nSGVsbG8=\r\n', 'base64')).toBe('HelloHello');
  });
});
