import { decodeQuotedPrintable } from '../mime/encodings.js';
import { firstToken } from './parameters.rules.js';

/** `''`: the bytes are as they were written, or their encoding is unknown */
export type TransferEncoding = 'base64' | 'quoted-printable' | '';

const ENCODINGS: Readonly<Record<string, TransferEncoding>> = {
  base64: 'base64',
  quotedprintable: 'quoted-printable',
};

/**
 * Reads Content-Transfer-Encoding (RFC 2045 §6.1) in the forms of real writers: in any case, with comments, quotes, a
 * semicolon behind it, or `base-64`.
 * @param value undefined when the field is missing
 */
export function readTransferEncoding(value: string | undefined): TransferEncoding {
  const token = firstToken(value ?? '').toLowerCase();
  return ENCODINGS[token.replace(/^x-|[-_]/g, '')] ?? '';
}

/**
 * Undoes a transfer encoding. Badly encoded bytes stay as they are.
 * @param maxBytes of the result; the rest is not decoded
 */
export function decodeTransfer(body: Buffer, encoding: TransferEncoding, maxBytes: number): Buffer {
  if (encoding === 'base64') return decodeBase64(body, maxBytes);
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(body).subarray(0, maxBytes);
  return body.subarray(0, maxBytes);
}

/** Four characters of base64 hold three bytes; half as much again leaves room for line ends. */
const BASE64_EXCESS = 1.5;
/** Texts that were encoded separately and concatenated, as list servers do with their footers. */
const MAX_BASE64_PIECES = 10_000;

function decodeBase64(body: Buffer, maxBytes: number): Buffer {
  const text = body.toString('latin1', 0, Math.ceil(maxBytes * BASE64_EXCESS));
  if (!/=[^=]*[a-z0-9+/]/i.test(text)) return Buffer.from(text, 'base64').subarray(0, maxBytes);
  const pieces = text.split(/=[=\s]*/, MAX_BASE64_PIECES).map((piece) => Buffer.from(piece, 'base64'));
  return Buffer.concat(pieces).subarray(0, maxBytes);
}

const SLICE_BYTES = 96 * 1024;

/** The decoded bytes in base64, piece by piece: the whole of it is not in memory once more. */
export function* base64Of(body: Buffer, encoding: TransferEncoding): Generator<string> {
  if (encoding === 'base64') {
    yield* cleanBase64(body);
    return;
  }
  const bytes = decodeTransfer(body, encoding, body.length);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.toString('base64', at, at + SLICE_BYTES);
}

/** Without line ends and other foreign characters, up to its padding. */
function* cleanBase64(body: Buffer): Generator<string> {
  let rest = '';
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    const slice = body.toString('latin1', at, at + SLICE_BYTES);
    const padding = slice.indexOf('=');
    rest += (padding < 0 ? slice : slice.slice(0, padding)).replace(/[^A-Za-z0-9+/]+/g, '');
    const whole = rest.length - (rest.length % 4);
    if (whole > 0) yield rest.slice(0, whole);
    rest = rest.slice(whole);
    if (padding >= 0) break;
  }
  // an odd character at the end encodes nothing
  if (rest.length > 1) yield Buffer.from(rest, 'base64').toString('base64');
}
