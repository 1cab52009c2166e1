import { type RawField, splitHeaders } from '../dkim/canonicalization.js';
import type { Message } from '../message/message.js';
import { encodeBase64Lines, encodeQuotedPrintable } from '../mime/encodings.js';
import { firstToken } from '../read/parameters.rules.js';
import { readContentType } from '../read/parts.js';
import { decodeTransfer, readTransferEncoding, type TransferEncoding } from '../read/transfer-encodings.js';
import { fieldBytes, fieldValue } from './raw-message.js';

/** The HTML that a message shows, as its `nth` HTML part of `count`. */
export type EditHtml = (html: string, part: { nth: number; count: number }) => string;

/** One HTML part: where its body stands, where its header does, and how it is written. */
interface HtmlPart {
  readonly headers: readonly RawField[];
  /** in the body of the message; undefined: the part is the whole message */
  readonly headersAt: Range | undefined;
  readonly bodyAt: Range;
  readonly encoding: TransferEncoding;
  readonly charset: string | undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** What is in another encoding stays as it is. */
const AS_IS = new Set(['', '7bit', '8bit', 'binary']);

// Only hostile messages nest this deep or have so many parts. What lies beyond stays as it is.
const MAX_DEPTH = 20;
const MAX_PARTS = 500;
const MAX_PART_HEADER_BYTES = 64 * 1024;
// RFC 5322 §2.1.1
const MAX_LINE = 998;
const CRLF = Buffer.from('\r\n', 'latin1');
const CHARSET = /(charset\s*=\s*)("[^"]*"|[^;\s]+)/i;
// RFC 1847, RFC 8551: whoever changes a byte of them breaks the signature.
const UNTOUCHABLE = new Set(['multipart/signed', 'multipart/encrypted']);

/** Whether a message shows HTML that may be changed: nothing that is signed or encrypted, attached or enclosed. */
export const hasHtml = (message: Message): boolean => findHtml(message).length > 0;

/**
 * Writes the HTML of a message anew, in the order of its parts; everything else stays as it is, byte for byte. Text in
 * another charset becomes UTF-8. A part that cannot be read without loss stays as it is.
 */
export function editHtml(message: Message, edit: EditHtml): Message {
  const body = bodyOf(message);
  const parts = findHtml(message);
  let { headers } = message;
  const chunks: Buffer[] = [];
  let at = 0;
  parts.forEach((part, nth) => {
    const html = decoded(body.subarray(part.bodyAt.from, part.bodyAt.to), part);
    const changed = html === undefined ? undefined : edit(html.text, { nth, count: parts.length });
    if (html === undefined || changed === undefined || changed === html.text) return;
    const written = encoded(changed, part, html.charset);
    const fields = fieldBytes(headersFor(part, written));
    if (part.headersAt) chunks.push(body.subarray(at, part.headersAt.from), fields);
    else headers = fields;
    chunks.push(body.subarray(part.headersAt?.to ?? at, part.bodyAt.from), written.bytes);
    at = part.bodyAt.to;
  });
  if (at === 0 && chunks.length === 0) return message;
  chunks.push(body.subarray(at));
  if (
    !chunks
      .findLast(({ length }) => length > 0)
      ?.subarray(-2)
      .equals(CRLF)
  )
    chunks.push(CRLF);
  const size = chunks.reduce((sum, { length }) => sum + length, headers.length + 2);
  return { ...message, headers, body: chunks, size };
}

const bodyOf = ({ body }: Message): Buffer => (body.length === 1 ? (body[0] as Buffer) : Buffer.concat(body));

function findHtml(message: Message): HtmlPart[] {
  const search: Search = { body: bodyOf(message), found: [], seen: 0 };
  const whole = { from: 0, to: search.body.length };
  visit(search, { headers: splitHeaders(message.headers), headersAt: undefined, bodyAt: whole }, 0);
  return search.found;
}

interface Search {
  readonly body: Buffer;
  readonly found: HtmlPart[];
  seen: number;
}

type Entity = Pick<HtmlPart, 'headers' | 'headersAt' | 'bodyAt'>;

function visit(search: Search, entity: Entity, depth: number): void {
  search.seen += 1;
  if (depth > MAX_DEPTH || search.seen > MAX_PARTS) return;
  const { type, parameters } = readContentType(valueOf(entity, 'content-type'), 'text/plain');
  if (type === 'text/html') {
    const given = valueOf(entity, 'content-transfer-encoding') ?? '';
    const encoding = readTransferEncoding(given);
    const isReadable = encoding !== '' || AS_IS.has(firstToken(given));
    const isAttached = firstToken(valueOf(entity, 'content-disposition') ?? '') === 'attachment';
    if (isReadable && !isAttached)
      search.found.push({ ...entity, encoding, charset: parameters.get('charset') });
  } else if (type.startsWith('multipart/') && !UNTOUCHABLE.has(type)) {
    for (const part of partsOf(search.body, entity.bodyAt, parameters.get('boundary') ?? '')) {
      if (search.seen > MAX_PARTS) return;
      visit(search, part, depth + 1);
    }
  }
}

function valueOf({ headers }: Entity, name: string): string | undefined {
  const field = headers.find((one) => one.name === name);
  return field && fieldValue(field);
}

/** The parts of a multipart (RFC 2046 §5.1.1): what stands between lines that begin with its delimiter. */
function* partsOf(body: Buffer, { from, to }: Range, boundary: string): Generator<Entity> {
  if (boundary === '') return;
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  let start: number | undefined;
  for (const line of delimiterLines(body.subarray(0, to), delimiter, from)) {
    if (start !== undefined) yield entityAt(body, { from: start, to: Math.max(start, line.at - 2) });
    start = line.behind;
    if (line.isLast) return;
  }
}

function* delimiterLines(
  body: Buffer,
  delimiter: Buffer,
  from: number,
): Generator<{ at: number; behind: number; isLast: boolean }> {
  for (let at = body.indexOf(delimiter, from); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    if (at !== from && !(body[at - 1] === 0x0a && body[at - 2] === 0x0d)) continue;
    const lineEnd = body.indexOf('\r\n', at, 'latin1');
    const end = lineEnd < 0 ? body.length : lineEnd;
    // a longer boundary begins with the same text
    const rest = /^(--)?[ \t]*$/.exec(
      body.toString('latin1', at + delimiter.length, Math.min(end, at + 2_000)),
    );
    if (rest) yield { at, behind: Math.min(end + 2, body.length), isLast: rest[1] !== undefined };
  }
}

function entityAt(body: Buffer, { from, to }: Range): Entity {
  const part = body.subarray(from, to);
  const noHeaders = part[0] === 0x0d;
  const end = noHeaders ? 0 : part.subarray(0, MAX_PART_HEADER_BYTES).indexOf('\r\n\r\n', 0, 'latin1') + 2;
  if (end === 1) return { headers: [], headersAt: { from, to: from }, bodyAt: { from: to, to } };
  return {
    headers: splitHeaders(part.subarray(0, end)),
    headersAt: { from, to: from + end },
    bodyAt: { from: from + end + 2, to },
  };
}

interface Decoded {
  readonly text: string;
  readonly charset: 'ascii' | 'utf-8' | 'other';
}

/** @returns undefined when it is not text of its charset */
function decoded(bytes: Buffer, { headers, encoding, charset }: HtmlPart): Decoded | undefined {
  const plain = decodeTransfer(bytes, encoding, bytes.length);
  const label = (charset ?? 'utf-8').trim().toLowerCase();
  try {
    // without a charset, or with ASCII that is none, nearly everybody writes UTF-8
    const decoder = new TextDecoder(label === 'us-ascii' ? 'utf-8' : label, { fatal: true, ignoreBOM: true });
    const text = decoder.decode(plain);
    if (Buffer.byteLength(text) === text.length && plain.length === text.length)
      return { text, charset: 'ascii' };
    if (decoder.encoding === 'utf-8') return { text, charset: 'utf-8' };
    const names = headers.some((field) => field.name === 'content-type' && CHARSET.test(field.text));
    return names ? { text, charset: 'other' } : undefined;
  } catch {
    return undefined;
  }
}

interface Written {
  readonly bytes: Buffer;
  /** undefined: as it was */
  readonly encoding: string | undefined;
  readonly charset: 'utf-8' | undefined;
}

function encoded(text: string, { encoding }: HtmlPart, was: Decoded['charset']): Written {
  const bytes = Buffer.from(text);
  const charset = was === 'other' ? 'utf-8' : undefined;
  if (encoding === 'base64') {
    const lines = encodeBase64Lines(bytes);
    return { bytes: lines, encoding: undefined, charset };
  }
  if (encoding === 'quoted-printable')
    return { bytes: encodeQuotedPrintable(bytes), encoding: undefined, charset };
  if (charset === undefined && longestLine(bytes) <= MAX_LINE) return { bytes, encoding: undefined, charset };
  return { bytes: encodeQuotedPrintable(bytes), encoding: 'quoted-printable', charset };
}

function longestLine(bytes: Buffer): number {
  let longest = 0;
  let from = 0;
  for (let end = bytes.indexOf('\r\n'); end >= 0; end = bytes.indexOf('\r\n', from)) {
    longest = Math.max(longest, end - from);
    from = end + 2;
  }
  return Math.max(longest, bytes.length - from);
}

function headersFor({ headers }: HtmlPart, { encoding, charset }: Written): RawField[] {
  const name = 'content-transfer-encoding';
  const recoded = headers.filter((field) => encoding === undefined || field.name !== name);
  if (encoding) recoded.push({ name, text: `Content-Transfer-Encoding: ${encoding}` });
  if (!charset) return recoded;
  return recoded.map((field) => {
    if (field.name !== 'content-type') return field;
    return { ...field, text: field.text.replace(CHARSET, `$1${charset}`) };
  });
}
