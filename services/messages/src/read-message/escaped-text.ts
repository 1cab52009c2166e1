import { decodeCharset } from '@postmesh/mail-format';

const SLICE = 64 * 1024;
// A character has four bytes at most.
const MAX_CONTINUATION_BYTES = 3;

/** The characters between the quotes of a JSON string, as in JSON.stringify, in pieces that split no character. */
export function* escapedText(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + SLICE, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield escaped(text.slice(at, end));
    at = end;
  }
}

/** The same for UTF-8 bytes, without decoding the whole text; invalid bytes are not lost. */
export function* escapedUtf8(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const end = characterStart(bytes, Math.min(at + SLICE, bytes.length));
    yield escaped(decodeCharset(bytes.subarray(at, end), ''));
    at = end;
  }
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** @returns the start of a character that is cut at `end`; `end` where none is cut, or the bytes are not UTF-8 */
function characterStart(bytes: Buffer, end: number): number {
  for (let at = end; at < bytes.length && end - at <= MAX_CONTINUATION_BYTES; at -= 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  }
  return end;
}
