import { isAscii, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { needsSmtpUtf8 } from '../addresses/email-address.rules.js';
import type { Mailbox } from '../addresses/address-list.js';
import { writeDate, writeField, writeFields, writeMailboxes, writeSubject } from '../headers/header-field.js';
import type { HeaderField } from '../headers/header-field.js';
import { encodeBase64Lines, encodeQuotedPrintable } from '../mime/encodings.js';
import { Boundaries, multipart, partHeaders, textPart, type MimePart } from '../mime/mime-part.js';

/** The common fields of mails with a report. */
interface ReportMail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  /** with angle brackets */
  readonly messageId: string;
  readonly date: Date;
  /** RFC 3834 §5 */
  readonly autoSubmitted: 'auto-replied' | 'auto-generated';
  readonly text: string;
}

/** A report about a message (RFC 6522): a text for people, fields for programs, and the message or its header. */
export interface ReportContent extends ReportMail {
  readonly type: 'delivery-status' | 'feedback-report';
  /** groups of fields, as `reportFields` writes them */
  readonly fields: readonly string[];
  readonly original: ReportedMessage;
}

interface ReportedMessage {
  /** whole, or its header fields alone (RFC 6522 §4); fields in UTF-8 become `message/global-headers` (RFC 6533 §4) */
  readonly type: 'message/rfc822' | 'text/rfc822-headers';
  /** in lines that end in CRLF */
  readonly bytes: Buffer;
}

/** Composes a report, in CRLF lines. @throws UnsafeMessage when a text would break out of its header field */
export function composeReport(content: ReportContent): Buffer {
  const { type, fields, original } = content;
  return joined(content, type, [
    plainPart(`message/${type}`, Buffer.from(fields.join('\r\n'), 'latin1')),
    originalPart(original),
  ]);
}

/** A report about TLS (RFC 8460 §5.3). */
interface TlsReportContent extends ReportMail {
  /** the domain that it is about */
  readonly domain: string;
  /** the domain that sends it */
  readonly submitter: string;
  readonly fileName: string;
  /** JSON, packed by gzip */
  readonly file: Buffer;
}

/** Composes a report about TLS, in CRLF lines. @throws UnsafeMessage as `composeReport` */
export function composeTlsReport(content: TlsReportContent): Buffer {
  const { domain, submitter, fileName, file } = content;
  const part: MimePart = {
    headers: `${partHeaders('application/tlsrpt+gzip', 'base64')}Content-Disposition: attachment;\r\n filename="${fileName}"\r\n`,
    body: [encodeBase64Lines(file)],
  };
  const fields = [
    { name: 'TLS-Report-Domain', value: domain },
    { name: 'TLS-Report-Submitter', value: submitter },
  ];
  return joined(content, 'tlsrpt', [part], fields);
}

function joined(
  content: ReportMail,
  type: ReportContent['type'] | 'tlsrpt',
  parts: readonly MimePart[],
  fields: readonly HeaderField[] = [],
): Buffer {
  const seed = createHash('sha256').update(content.messageId).digest('hex').slice(0, 32);
  const whole = multipart(
    `report; report-type=${type}`,
    [textPart('text/plain', content.text), ...parts],
    new Boundaries(() => seed),
  );
  const above = `${headersOf(content)}${writeFields(fields)}MIME-Version: 1.0\r\n${whole.headers}\r\n`;
  return Buffer.concat([Buffer.from(above), ...whole.body]);
}

/** RFC 3464 §2.1, RFC 6522 §4: such parts are never encoded. */
function plainPart(type: string, bytes: Buffer): MimePart {
  const encoding = bytes.some((byte) => byte > 0x7f) ? '8bit' : '7bit';
  return {
    headers: partHeaders(type, encoding),
    body: [bytes],
  };
}

/** Unlike the other types, this one may be encoded, so that the report goes to any server. */
function originalPart({ type, bytes }: ReportedMessage): MimePart {
  if (type === 'message/rfc822' || isAscii(bytes) || !isUtf8(bytes)) return plainPart(type, bytes);
  return {
    headers: partHeaders('message/global-headers', 'quoted-printable'),
    body: [encodeQuotedPrintable(bytes)],
  };
}

function headersOf({ date, from, to, subject, messageId, autoSubmitted }: ReportMail): string {
  return [
    writeDate(date),
    writeMailboxes('From', [from]),
    // one to an address beyond ASCII is sent with SMTPUTF8
    writeMailboxes('To', [to], { smtpUtf8: true }),
    writeSubject(subject),
    writeField({ name: 'Message-ID', value: messageId }),
    writeField({ name: 'Auto-Submitted', value: autoSubmitted }),
    '',
  ].join('\r\n');
}

// A line has 998 characters at most (RFC 5322 §2.1.1); the name of a field takes some of them.
const MAX_VALUE = 900;

/** A group of fields, each in one line of ASCII; fields without a value are left out. */
export function reportFields(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${oneLine(value)}\r\n`]))
    .join('');
}

/** An address in a report: `rfc822; …`, beyond ASCII `utf-8; …` in the form that needs no UTF-8 (RFC 6533 §3). */
export function reportedAddress(address: string): string {
  if (!needsSmtpUtf8(address)) return `rfc822; ${address}`;
  const coded = address.replace(/[^\x21-\x7e]|[\\+=]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0');
    return `\\x{${hex}}`;
  });
  return `utf-8; ${coded}`;
}

const oneLine = (value: string): string =>
  value
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[^\x20-\x7e]/gu, '?')
    .trim()
    .slice(0, MAX_VALUE);
