import { decodeCharset } from '@postmesh/mail-format';

const SLICE = 64 * 1024;
// A character has four bytes at most.
const MAX_CONTINUATION_BYTES = 3;

/** What stands between the quotes of a JSON string, as JSON.stringify writes it, in pieces that cut no character in two. */
export function* escapedText(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + SLICE, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield escaped(text.slice(at, end));
    at = end;
  }
}

/** The same of bytes in UTF-8, of which no text is made as a whole; of what is none, no byte is lost. */
export function* escapedUtf8(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const end = characterStart(bytes, Math.min(at + SLICE, bytes.length));
    yield escaped(decodeCharset(bytes.subarray(at, end), ''));
    at = end;
  }
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** @returns where the character begins that is cut at `end`; `end` where none is, or the bytes are no UTF-8 */
function characterStart(bytes: Buffer, end: number): number {
  for (let at = end; at < bytes.length && end - at <= MAX_CONTINUATION_BYTES; at -= 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  }
  return end;
}
