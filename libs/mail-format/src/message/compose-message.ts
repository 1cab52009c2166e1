import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  type HeaderField,
  UnsafeMessage,
  writeDate,
  writeField,
  writeMailboxes,
  writeSubject,
} from '../headers/header-field.js';
import type { Attachment } from '../mime/attachment.rules.js';
import { base64LinesLength } from '../mime/encodings.js';
import { attachmentPart, Boundaries, type MimePart, multipart, textPart } from '../mime/mime-part.js';
import type { ComposedBody, Message, MessageBody, MessageContent } from './message.js';

// Written by this file, so not allowed a second time. Bcc is never written: it would show the other recipients.
const OURS = new Set(['from', 'to', 'bcc', 'subject', 'message-id', 'mime-version']);
const CRLF = Buffer.from('\r\n', 'latin1');
// Small bodies are joined into one buffer to hash and to write. Large ones are not copied again.
const JOIN_UP_TO = 256 * 1024;
// A DKIM-Signature of ours with RSA-2048 and a long header list.
const SIGNATURE_BYTES = 1_024;
// Feedback-ID and CFBL-Address, which are written when the message is sent.
const SERVICE_HEADERS_BYTES = 512;
// Delimiters and header lines of one part, without its file name.
const PART_OVERHEAD = 300;
// Text, AMP and HTML, each in a part of its own.
const MAX_TEXT_PARTS = 3;
// Quoted-printable at its worst: three characters for a byte and a soft break for every 73 of them.
const WORST_TEXT_GROWTH = 3.2;
// UTF-8 of one UTF-16 unit of a text.
const MAX_UNIT_BYTES = 3;
// A UTF-16 unit in a header field: three bytes, each four thirds of a character of an encoded word, of which a short one
// is a third frame; rounded up.
const WORST_FIELD_GROWTH = 12;
// Name, frame and folds of one header field or mailbox.
const FIELD_OVERHEAD = 200;
// Date, Message-ID, Subject, MIME-Version, the fields of the body.
const FIELDS_OF_EACH = 10;

/**
 * Composes a message (RFC 5322, MIME): CRLF everywhere, no line beyond 998 octets, no Bcc, and the same bytes every
 * time, so that a retry is the same message. It is pure ASCII, except for the addresses of a message that is sent with
 * SMTPUTF8.
 * @param body from `composeBody`, when several messages share it
 * @param added service headers, behind those of the content
 * @throws UnsafeMessage when part of the content would break out of its header field
 */
export async function composeMessage(
  content: MessageContent,
  body?: ComposedBody,
  added: readonly HeaderField[] = [],
): Promise<Message> {
  const written = writeMessageHeaders(content, added);
  const composed = body ?? (await composeBody(content, content.messageId));
  const headers = Buffer.from(`${written}MIME-Version: 1.0\r\n${composed.contentHeaders}`);
  const smtpUtf8 = content.smtpUtf8 === true && !isAscii(headers);
  return {
    headers,
    body: composed.chunks,
    size: headers.length + 2 + composed.size,
    eightBit: smtpUtf8,
    smtpUtf8,
  };
}

/** Every header except the MIME ones, each ended by CRLF. */
function writeMessageHeaders(content: MessageContent, added: readonly HeaderField[] = []): string {
  const { from, to, cc = [], replyTo, subject, headers: custom = [] } = content;
  const options = { smtpUtf8: content.smtpUtf8 };
  const lines: string[] = [];
  if (!hasHeader(custom, 'date')) lines.push(writeDate(content.date));
  lines.push(writeMailboxes('From', [from]));
  if (to.length > 0) lines.push(writeMailboxes('To', to, options));
  if (cc.length > 0) lines.push(writeMailboxes('Cc', cc, options));
  if (replyTo !== undefined) lines.push(writeMailboxes('Reply-To', [replyTo]));
  lines.push(writeSubject(subject), writeField({ name: 'Message-ID', value: content.messageId }));
  for (const field of custom) lines.push(writeCustomHeader(field));
  for (const field of added) lines.push(writeCustomHeader(field));
  return `${lines.join('\r\n')}\r\n`;
}

function writeCustomHeader(field: HeaderField): string {
  const name = field.name.toLowerCase();
  if (OURS.has(name) || name.startsWith('content-')) {
    throw new UnsafeMessage(`header '${name}' cannot be a custom header`);
  }
  return writeField(field);
}

function hasHeader(fields: readonly HeaderField[], name: string): boolean {
  return fields.some((field) => field.name.toLowerCase() === name);
}

/**
 * The MIME tree of spec 2-messages §5.1.2: mixed(related(alternative(text, AMP, HTML), inline), attachments);
 * levels with one child collapse.
 * @param seed the boundaries derive from it: the Message-ID, or the send request for a shared body
 */
export async function composeBody(content: MessageBody, seed: string): Promise<ComposedBody> {
  const boundaries = new Boundaries(() => createHash('sha256').update(seed).digest('hex').slice(0, 32));
  const attachments = content.attachments ?? [];
  if (attachments.length === 0) return finish(alternatives(content, boundaries));
  const inline = attachments.filter((attachment) => isInlineOf(content, attachment));
  const attached = attachments.filter((attachment) => !inline.includes(attachment));
  const hasText = attached.length === 0 || [content.text, content.html, content.amp].some(isPresent);
  const related = hasText
    ? [multipart('related', [alternatives(content, boundaries), ...(await partsOf(inline))], boundaries)]
    : [];
  return finish(multipart('mixed', [...related, ...(await partsOf(attached))], boundaries));
}

/** Inline parts belong to the HTML that shows them; without HTML they are plain attachments. */
function isInlineOf(content: MessageBody, attachment: Attachment): boolean {
  return isPresent(content.html) && attachment.disposition === 'inline' && attachment.contentId !== undefined;
}

function alternatives(content: MessageBody, boundaries: Boundaries): MimePart {
  const parts: MimePart[] = [];
  if (isPresent(content.text)) parts.push(textPart('text/plain', content.text));
  if (isPresent(content.amp)) parts.push(textPart('text/x-amp-html', content.amp));
  if (isPresent(content.html)) parts.push(textPart('text/html', content.html));
  if (parts.length === 0) parts.push(textPart('text/plain', ''));
  return multipart('alternative', parts, boundaries);
}

/** Encoded one after another: one encoder's memory at a time. */
async function partsOf(attachments: readonly Attachment[]): Promise<MimePart[]> {
  const parts: MimePart[] = [];
  for (const attachment of attachments) parts.push(await attachmentPart(attachment));
  return parts;
}

function finish(part: MimePart): ComposedBody {
  const chunks = [...part.body];
  if (!endsInCrlf(chunks.at(-1))) chunks.push(CRLF);
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const joined = chunks.length > 1 && size <= JOIN_UP_TO ? [Buffer.concat(chunks, size)] : chunks;
  return { contentHeaders: part.headers, chunks: joined, size };
}

function endsInCrlf(chunk: Buffer | undefined): boolean {
  return chunk !== undefined && chunk.at(-1) === 0x0a && chunk.at(-2) === 0x0d;
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/**
 * The size of the signed message in bytes, without composing it: exact for texts and attachments, rounded up by some
 * hundred bytes for delimiters, the signature and the headers of the service.
 * @throws UnsafeMessage as composing would
 */
export function estimateMessageSize(content: MessageContent): number {
  let size =
    Buffer.byteLength(writeMessageHeaders(content)) + SIGNATURE_BYTES + SERVICE_HEADERS_BYTES + PART_OVERHEAD;
  if (content.text) size += textSize('text/plain', content.text);
  if (content.amp) size += textSize('text/x-amp-html', content.amp);
  if (content.html) size += textSize('text/html', content.html);
  for (const attachment of content.attachments ?? []) size += attachmentSize(attachment);
  return size;
}

/**
 * Whether the signed message has at most `limit` bytes. Texts that fit even in their longest encoding, which is nearly
 * every message, are not encoded for this.
 * @throws UnsafeMessage as composing would
 */
export function isMessageWithin(content: MessageContent, limit: number): boolean {
  const texts = [content.text, content.amp, content.html].reduce(
    (sum, text) => sum + Buffer.byteLength(text ?? ''),
    0,
  );
  const mayFit = texts * WORST_TEXT_GROWTH <= limit / 4;
  return (mayFit && isSurelyWithin(content, texts, limit)) || estimateMessageSize(content) <= limit;
}

/**
 * Whether the signed message has at most `limit` bytes in any encoding, by the lengths of its parts alone; false proves
 * nothing. The message is not composed, so nothing is checked.
 */
export function isWithinAtWorst(content: Omit<MessageContent, 'messageId' | 'date'>, limit: number): boolean {
  const { text, amp, html, attachments = [], headers = [] } = content;
  const textUnits = (text?.length ?? 0) + (amp?.length ?? 0) + (html?.length ?? 0);
  let fields = 0;
  let fieldUnits = content.subject.length;
  for (const { name, value } of headers) {
    fields++;
    fieldUnits += name.length + value.length;
  }
  for (const { email, name = '' } of mailboxesOf(content)) {
    fields++;
    fieldUnits += email.length + name.length;
  }
  const size =
    textUnits * MAX_UNIT_BYTES * WORST_TEXT_GROWTH +
    fieldUnits * WORST_FIELD_GROWTH +
    (FIELDS_OF_EACH + fields) * FIELD_OVERHEAD +
    (SIGNATURE_BYTES + SERVICE_HEADERS_BYTES + MAX_TEXT_PARTS * PART_OVERHEAD);
  return attachments.reduce((sum, attachment) => sum + attachmentSize(attachment), size) <= limit;
}

const mailboxesOf = ({
  from,
  to,
  cc = [],
  replyTo,
}: Pick<MessageContent, 'from' | 'to' | 'cc' | 'replyTo'>) => [
  from,
  ...to,
  ...cc,
  ...(replyTo ? [replyTo] : []),
];

/**
 * Whether the signed message has at most `limit` bytes in any encoding of its texts; false proves nothing.
 * @param textBytes of text, AMP and HTML in UTF-8; those of `content` are ignored
 * @throws UnsafeMessage as composing would
 */
export function isSurelyWithin(content: MessageContent, textBytes: number, limit: number): boolean {
  const bare = { ...content, text: undefined, amp: undefined, html: undefined };
  return estimateMessageSize(bare) + textBytes * WORST_TEXT_GROWTH + MAX_TEXT_PARTS * PART_OVERHEAD <= limit;
}

function textSize(type: 'text/plain' | 'text/html' | 'text/x-amp-html', text: string): number {
  return textPart(type, text).body.reduce((sum, chunk) => sum + chunk.length, PART_OVERHEAD);
}

function attachmentSize(attachment: Attachment): number {
  const bytes =
    attachment.size ?? (attachment.content instanceof Uint8Array ? attachment.content.length : undefined);
  if (bytes === undefined) throw new TypeError('an attachment that is a stream needs its size');
  // The name appears twice, by RFC 2231 (three characters for a byte) and as an encoded word.
  const named = Buffer.byteLength(attachment.fileName) * 6 + attachment.contentType.length;
  return base64LinesLength(bytes) + named + PART_OVERHEAD;
}
