import { type RawField, splitHeaders } from '../dkim/canonicalization.js';
import { writeField } from '../headers/header-field.js';
import type { Message } from '../message/message.js';
import { encodeBase64Lines, encodeQuotedPrintable } from '../mime/encodings.js';
import { firstToken } from '../read/parameters.rules.js';
import { decodeTransfer, type TransferEncoding } from '../read/transfer-encodings.js';
import { headerValue, type Leaf, walkEntities } from './entities.js';
import { fieldBytes } from './raw-message.js';

/** The HTML that a message shows, as its `nth` HTML part of `count`. */
export type EditHtml = (html: string, part: { nth: number; count: number }) => string;

/** One HTML part, which may be changed. */
type HtmlPart = Leaf & { readonly encoding: TransferEncoding };

// RFC 5322 §2.1.1
const MAX_LINE = 998;
const CRLF = Buffer.from('\r\n', 'latin1');
const CHARSET = /(charset\s*=\s*)("[^"]*"|[^;\s]+)/i;

/** Whether a message shows HTML that may be changed: nothing that is signed or encrypted, attached or enclosed. */
export const hasHtml = (message: Message): boolean => findHtml(message).length > 0;

/**
 * Rewrites the HTML of a message, in the order of its parts; everything else stays as it is, byte for byte. Text in
 * another charset becomes UTF-8. A part that cannot be decoded without loss stays as it is.
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
  const found: HtmlPart[] = [];
  walkEntities(splitHeaders(message.headers), bodyOf(message), (entity, leaf) => {
    if (leaf?.type !== 'text/html' || leaf.encoding === undefined) return;
    const isAttached = firstToken(headerValue(entity, 'content-disposition') ?? '') === 'attachment';
    if (!isAttached) found.push({ ...leaf, encoding: leaf.encoding });
  });
  return found;
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
    // without a charset, or with non-ASCII bytes under US-ASCII, nearly every program writes UTF-8
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
  const field = { name: 'Content-Transfer-Encoding', value: encoding ?? '' };
  if (encoding) recoded.push({ name, text: writeField(field) });
  if (!charset) return recoded;
  return recoded.map((field) => {
    if (field.name !== 'content-type') return field;
    return { ...field, text: field.text.replace(CHARSET, `$1${charset}`) };
  });
}
