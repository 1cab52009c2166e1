import { describe, expect, it } from 'vitest';
import { judgeReport } from './judge-report.rules.js';
import { readReport } from './read-report.js';
import type { Report } from './report.js';
import { SAMPLE_KEY, SAMPLE_RECIPIENT } from './testing/samples.js';

/** Spec 1-platform §13.4: the size limit of inbound mail. */
const LARGEST = 20 * 1024 * 1024;
/** Quadratic time would take hours; a slow machine takes a second. */
const TIMEOUT_MS = 60_000;

function read(raw: string | Buffer): Report {
  const bytes = typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw;
  const report = readReport(bytes, { keys: [SAMPLE_KEY] });
  judgeReport(report, { recipient: SAMPLE_RECIPIENT });
  return report;
}

const full = (unit: string, before = ''): string =>
  before + unit.repeat(Math.floor((LARGEST - before.length) / unit.length));

const DAEMON = 'From: MAILER-DAEMON@mx.test\r\nSubject: Undelivered mail\r\n';
const MULTIPART = `${DAEMON}Content-Type: multipart/report; boundary=b\r\n\r\n`;
const STATUS = `${MULTIPART}--b\r\nContent-Type: message/delivery-status\r\n\r\n`;
const TEXT = `${DAEMON}Content-Type: text/plain\r\n\r\n`;
const nested = (depth: number): string =>
  Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}x\r\n\r\n--b${at}x\r\n`,
  ).join('');
const enclosing = (depth: number): string => 'Content-Type: message/rfc822\r\n\r\n'.repeat(depth);
const prefixes = Array.from({ length: 19 }, (_, at) => {
  const boundary = 'a'.repeat(at + 1);
  return `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n`;
}).join('');

const HOSTILE: [string, () => string | Buffer][] = [
  ['boundaries and nothing else', () => full('--b\r\n', MULTIPART)],
  ['what looks like boundaries', () => full('--bb\r\n', MULTIPART)],
  ['what looks like boundaries within lines', () => full('--b', MULTIPART)],
  ['a boundary that is the beginning of all others', () => full('\r\n--aaaaaaaaaaaaaaaaaaaaaa', prefixes)],
  [
    'a boundary that hides in itself',
    () => full('a', `Content-Type: multipart/mixed; boundary=${'a'.repeat(70)}\r\n\r\n--`),
  ],
  ['a thousand levels', () => full(' ', nested(1_000))],
  ['hyphens below twenty levels', () => full('-', nested(19))],
  ['lines below twenty levels', () => full('\r\n', nested(19))],
  ['what looks like boundaries below twenty levels', () => full('\r\n--', nested(19))],
  ['enclosed messages without end', () => full('x', enclosing(50_000))],
  ['header fields without end', () => full('X-Field: value\r\n')],
  ['one header field without end', () => full('a', 'Subject: ')],
  ['one folded header field without end', () => full('\r\n a', 'Subject: x')],
  ['a subject of words without end', () => full('=?utf-8?Q?=20?= ', 'Subject: ')],
  ['colons', () => full(':')],
  ['empty lines', () => full('\r\n', DAEMON)],
  ['line feeds', () => full('\n')],
  ['carriage returns', () => full('\r', DAEMON)],
  ['zeros', () => Buffer.alloc(LARGEST)],
  ['parameters without end', () => full(';a="\\"', 'Content-Type: multipart/mixed')],
  ['quotes without end', () => full('"\\', 'Content-Type: multipart/mixed; boundary=')],
  [
    'status groups without end',
    () => full('Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n', STATUS),
  ],
  ['status fields without end', () => full('Status: 5.1.1\r\n', STATUS)],
  ['a diagnostic without end', () => full('550-5.1.1 ', `${STATUS}Action: failed\r\nDiagnostic-Code: `)],
  ['codes', () => full('5.1.1.', `${STATUS}Diagnostic-Code: smtp; `)],
  ['addresses', () => full('a@b.test ', TEXT)],
  ['the beginnings of addresses', () => full('a.b-c@', TEXT)],
  ['lines of angle brackets', () => full('<a@', TEXT)],
  ['digits', () => full('550 ', TEXT)],
  ['separators', () => full('------ This is a copy of\r\n', TEXT)],
  ['hyphens', () => full('-', TEXT)],
  ['blanks', () => full(' ', TEXT)],
  ['words of forms', () => full('message was created automatically by mail delivery ', TEXT)],
  ['forged tokens', () => full(`b+${'a'.repeat(42)} `, TEXT)],
  ['the beginnings of tokens', () => full('b+fbl+', TEXT)],
  ['soft line breaks', () => full('=\r\n', TEXT)],
  [
    'unfinished codes of quoted-printable',
    () => full('=', `Content-Transfer-Encoding: quoted-printable\r\n${TEXT}`),
  ],
  ['base64 without line ends', () => full('QUFB', `Content-Transfer-Encoding: base64\r\n${TEXT}`)],
  [
    'base64 of an enclosed message',
    () => full('QUFB', 'Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
  ],
  ['open tags', () => full('<p>', `${DAEMON}Content-Type: text/html\r\n\r\n`)],
  ['half tags', () => full('<a ', `${DAEMON}Content-Type: text/html\r\n\r\n`)],
  ['entities', () => full('&amp', `${DAEMON}Content-Type: text/html\r\n\r\n`)],
  [
    'feedback fields',
    () =>
      full(
        'Original-Rcpt-To: a@b.test\r\n',
        `${MULTIPART}--b\r\nContent-Type: message/feedback-report\r\n\r\n`,
      ),
  ],
  ['links to leave a list', () => full('<https://x.test>,', 'List-Unsubscribe: ')],
  [
    'parts of a kilobyte',
    () => full(`--b\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(1_000)}\r\n`, MULTIPART),
  ],
];

describe('20 MiB of', () => {
  it.each(HOSTILE)(
    '%s are read to an end',
    (_what, make) => expect(read(make()).kind).toBeTypeOf('string'),
    TIMEOUT_MS,
  );
});

describe('a message beyond the bounds', () => {
  it('is read up to its limits, and marked as cut', () => {
    expect(read(nested(21)).cut).toBe(true);
    expect(read(nested(19)).cut).toBe(false);
    expect(read(`${MULTIPART}${'--b\r\n\r\nx\r\n'.repeat(999)}--b--\r\n`).cut).toBe(false);
    expect(read(`${MULTIPART}${'--b\r\n\r\nx\r\n'.repeat(1_001)}--b--\r\n`).cut).toBe(true);
    expect(read(Buffer.alloc(LARGEST + 1024 * 1024 + 1, 'x')).cut).toBe(true);
  });

  it('still reports the text before them', () => {
    const status = 'Final-Recipient: rfc822; ann@mail.test\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n';
    const report = read(`${STATUS}${status}--b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(1_500)}`);
    expect(report).toMatchObject({ kind: 'dsn', cut: true, recipients: [{ status: '5.1.1' }] });
  });
});
