import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { type FieldWithParameters, readParameters } from '../read/parameters.rules.js';
import { writeFields } from '../headers/header-field.js';
import { type Attachment, attachmentForm } from './attachment.rules.js';
import { encodeBase64Lines, encodeQuotedPrintable, textToCrlf } from './encodings.js';
import { formatOldName, formatParameters } from './parameters.js';

/** A MIME entity (RFC 2045 §2.4): its own header lines, each ended by CRLF, and its body, in CRLF lines. */
export interface MimePart {
  readonly headers: string;
  readonly body: readonly Buffer[];
}

type MultipartType =
  | 'mixed'
  | 'related'
  | 'alternative'
  /** RFC 6522 */
  | 'report; report-type=delivery-status'
  | 'report; report-type=feedback-report'
  /** RFC 8460 §5.3 */
  | 'report; report-type=tlsrpt';

/** Numbered boundaries for the multiparts of one message. */
export class Boundaries {
  private next = 0;
  private base: string | undefined;

  /**
   * @param makeBase printable and unguessable, at most 50 characters, so that no text part contains it; called only if
   * there is a multipart, which most messages lack
   */
  constructor(private readonly makeBase: () => string) {}

  take(): string {
    this.base ??= this.makeBase();
    // `=_` never occurs in quoted-printable or base64 (RFC 2045 §6.7 note).
    return `=_${this.base}.${++this.next}`;
  }
}

/** Joins parts into one multipart (RFC 2046 §5.1); a single part stays as it is. */
export function multipart(type: MultipartType, parts: readonly MimePart[], boundaries: Boundaries): MimePart {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const boundary = boundaries.take();
  const body: Buffer[] = [];
  parts.forEach((part, index) => {
    const delimiter = `${index > 0 ? '\r\n' : ''}--${boundary}\r\n${part.headers}\r\n`;
    body.push(Buffer.from(delimiter, 'latin1'), ...part.body);
  });
  body.push(Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1'));
  const root = type === 'related' ? ` type="${mediaType(only)}";\r\n` : '';
  return { headers: `Content-Type: multipart/${type};\r\n${root} boundary="${boundary}"\r\n`, body };
}

/** RFC 2387 §3.1: a related multipart names the type of its root. */
function mediaType(part: MimePart | undefined): string {
  return /^Content-Type: ([^;\s]+)/.exec(part?.headers ?? '')?.[1] ?? 'text/html';
}

type TextType = 'text/plain' | 'text/x-amp-html' | 'text/html';

// RFC 5322 §2.1.1 allows 998 characters; some room for relays that add to a line.
const MAX_7BIT_LINE = 900;
// From here on base64 is shorter than quoted-printable: 3 characters for each such byte against 4/3 for all.
const BASE64_FROM_SHARE = 0.18;

/**
 * One text part in UTF-8: 7bit for ASCII in lines of reasonable length, else quoted-printable, or base64 when much of
 * the text is beyond ASCII. Line breaks become CRLF; nothing else of the text changes.
 */
export function textPart(type: TextType, text: string): MimePart {
  const crlf = textToCrlf(text);
  const bytes = Buffer.from(crlf, 'utf8');
  if (bytes.length === crlf.length && fitsSevenBit(crlf)) return part(type, '7bit', bytes);
  return shareBeyondAscii(bytes) > BASE64_FROM_SHARE
    ? part(type, 'base64', encodeBase64Lines(bytes))
    : part(type, 'quoted-printable', encodeQuotedPrintable(bytes));
}

const part = (type: TextType, encoding: string, body: Buffer): MimePart => ({
  headers: partHeaders(`${type}; charset=utf-8`, encoding),
  body: [body],
});

/** The header lines of a part without a name. */
export const partHeaders = (type: string, encoding: string): string =>
  writeFields([
    { name: 'Content-Type', value: type },
    { name: 'Content-Transfer-Encoding', value: encoding },
  ]);

/** RFC 2045 §2.7: no NUL, and no line too long; lone CR and LF are gone already. */
function fitsSevenBit(crlf: string): boolean {
  if (crlf.includes('\0')) return false;
  let lineStart = 0;
  for (let end = crlf.indexOf('\n'); end >= 0; end = crlf.indexOf('\n', lineStart)) {
    if (end - lineStart > MAX_7BIT_LINE) return false;
    lineStart = end + 1;
  }
  return crlf.length - lineStart <= MAX_7BIT_LINE;
}

function shareBeyondAscii(bytes: Buffer): number {
  let beyond = 0;
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > 0x7e) beyond++;
  return beyond / bytes.length;
}

// A megabyte of whole base64 lines (57 bytes each): the encoder yields to the event loop between pieces.
const PIECE = 57 * 16_384;

/** One attachment: its file name by RFC 2231 and in the older form that mail programs still read, its content in pieces. */
export async function attachmentPart(attachment: Attachment): Promise<MimePart> {
  const form = attachmentForm(attachment);
  const { fileName, disposition, contentId } = attachment;
  const type = formatParameters(withoutName(form.contentType));
  const file = { value: disposition, parameters: new Map([['filename', fileName]]) };
  const headers = writeFields([
    { name: 'Content-Type', value: `${type}; name=${formatOldName(fileName)}` },
    { name: 'Content-Transfer-Encoding', value: form.encoding },
    { name: 'Content-Disposition', value: formatParameters(file) },
    ...(contentId === undefined ? [] : [{ name: 'Content-ID', value: contentId }]),
  ]);
  const content =
    attachment.content instanceof Readable ? await buffer(attachment.content) : asBuffer(attachment.content);
  return { headers, body: form.encoding === '7bit' ? [content] : await inBase64(content) };
}

/** The file name comes from another field: with two of them a reader could take the wrong one. */
function withoutName(contentType: string): FieldWithParameters {
  const { parameters } = readParameters(contentType);
  // in the given letter case
  const [value = ''] = contentType.split(';', 1);
  return { value: value.trim(), parameters: new Map([...parameters].filter(([name]) => name !== 'name')) };
}

async function inBase64(content: Buffer): Promise<Buffer[]> {
  const body: Buffer[] = [];
  for (let from = 0; from < content.length; from += PIECE) {
    if (from > 0) await setImmediate();
    body.push(encodeBase64Lines(content.subarray(from, from + PIECE)));
  }
  return body;
}

function asBuffer(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
