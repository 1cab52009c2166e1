import { createHash } from 'node:crypto';
import { writeMailboxes, type Mailbox } from '../addresses/mailbox-header.js';
import { writeHeader, writeText } from '../headers/header-field.js';
import { Boundaries, multipart, textPart, type MimePart } from '../mime/mime-part.js';

/** A report about a message (RFC 6522): what people read, what programs read, and the message or its header. */
export interface ReportContent {
  readonly type: 'delivery-status' | 'feedback-report';
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  /** with angle brackets */
  readonly messageId: string;
  readonly date: Date;
  /** RFC 3834 §5 */
  readonly autoSubmitted: 'auto-replied' | 'auto-generated';
  readonly text: string;
  /** groups of fields, as `reportFields` writes them */
  readonly fields: readonly string[];
  readonly original: ReportedMessage;
}

export interface ReportedMessage {
  /** whole, or its header fields alone (RFC 6522 §4) */
  readonly type: 'message/rfc822' | 'text/rfc822-headers';
  /** in lines that end in CRLF */
  readonly bytes: Buffer;
}

/** Composes a report, in CRLF lines. @throws UnsafeMessage when a text would break out of its header field */
export function composeReport(content: ReportContent): Buffer {
  const { type, text, fields, original } = content;
  const seed = createHash('sha256').update(content.messageId).digest('hex').slice(0, 32);
  const parts = [
    textPart('text/plain', text),
    plainPart(`message/${type}`, Buffer.from(fields.join('\r\n'), 'latin1')),
    plainPart(original.type, original.bytes),
  ];
  const whole = multipart(`report; report-type=${type}`, parts, new Boundaries(() => seed));
  const above = `${headersOf(content)}MIME-Version: 1.0\r\n${whole.headers}\r\n`;
  return Buffer.concat([Buffer.from(above, 'latin1'), ...whole.body]);
}

/** RFC 3464 §2.1, RFC 6522 §4: such parts are never encoded. */
function plainPart(type: string, bytes: Buffer): MimePart {
  const encoding = bytes.some((byte) => byte > 0x7f) ? '8bit' : '7bit';
  return {
    headers: `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
    body: [bytes],
  };
}

function headersOf({ date, from, to, subject, messageId, autoSubmitted }: ReportContent): string {
  const lines = [
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    writeMailboxes('From', [from]),
    writeMailboxes('To', [to]),
    writeText('Subject', subject),
    writeHeader({ name: 'Message-ID', value: messageId }),
    `Auto-Submitted: ${autoSubmitted}`,
  ];
  return `${lines.join('\r\n')}\r\n`;
}

// A line has 998 characters at most (RFC 5322 §2.1.1); the name of a field takes some of them.
const MAX_VALUE = 900;

/** A group of fields, each in one line of ASCII; what has no value is left out. */
export function reportFields(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${oneLine(value)}\r\n`]))
    .join('');
}

const oneLine = (value: string): string =>
  value
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[^\x20-\x7e]/gu, '?')
    .trim()
    .slice(0, MAX_VALUE);
