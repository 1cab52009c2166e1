/** CRLF everywhere: lone LF and lone CR become CRLF. @returns the same text when nothing had to change */
export function textToCrlf(text: string): string {
  if (!text.includes('\r')) return text.includes('\n') ? text.replaceAll('\n', '\r\n') : text;
  return hasCrlfOnly(text) ? text : text.replace(/\r\n|\r|\n/g, '\r\n');
}

/** Each LF follows a CR, and there are no other CRs. */
function hasCrlfOnly(text: string): boolean {
  let lone = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) !== CR) return false;
    lone--;
  }
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) lone++;
  return lone === 0;
}

/**
 * CRLF everywhere in a raw message. A lone CR or LF allows SMTP smuggling (RFC 5321 §2.3.8 forbids both), and relays
 * repair them, which breaks the signature.
 * @returns the same buffer when nothing had to change
 */
export function bytesToCrlf(bytes: Buffer): Buffer {
  const lone = countLone(bytes);
  if (lone === 0) return bytes;
  const out = Buffer.allocUnsafe(bytes.length + lone);
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const lineEnd = byte === 0x0d || byte === 0x0a;
    if (!lineEnd) {
      out[to++] = byte;
      continue;
    }
    out[to++] = 0x0d;
    out[to++] = 0x0a;
    if (byte === 0x0d && bytes[at + 1] === 0x0a) at++;
  }
  return out;
}

/** Whether the bytes contain a lone CR or LF. */
export const hasLoneLineEnds = (bytes: Buffer): boolean => countLone(bytes) > 0;

function countLone(bytes: Buffer): number {
  let lone = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (at === 0 || bytes[at - 1] !== 0x0d) lone++;
  }
  for (let at = bytes.indexOf(0x0d); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
    if (bytes[at + 1] !== 0x0a) lone++;
  }
  return lone;
}

// RFC 2045 §6.8: 76 characters a line are 57 bytes.
const BYTES_PER_LINE = 57;
const CHARACTERS_PER_LINE = 76;
// Encoded by one call and then cut into lines: a call per line takes twice as long.
const LINES_AT_ONCE = 1_024;

/** Base64 in lines of 76 characters, each ended by CRLF, the last one too. */
export function encodeBase64Lines(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(base64LinesLength(bytes.length));
  const lines = Buffer.allocUnsafe(Math.min(Math.ceil(bytes.length / 3), LINES_AT_ONCE * 19) * 4);
  let to = 0;
  for (let from = 0; from < bytes.length; from += LINES_AT_ONCE * BYTES_PER_LINE) {
    const until = Math.min(from + LINES_AT_ONCE * BYTES_PER_LINE, bytes.length);
    const end = lines.write(bytes.toString('base64', from, until), 0, 'latin1');
    for (let at = 0; at < end; at += CHARACTERS_PER_LINE) {
      to += lines.copy(out, to, at, Math.min(at + CHARACTERS_PER_LINE, end));
      out[to++] = 0x0d;
      out[to++] = 0x0a;
    }
  }
  return out;
}

/** @returns the length of the result of `encodeBase64Lines` for `bytes` bytes */
export function base64LinesLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4 + Math.ceil(bytes / BYTES_PER_LINE) * 2;
}

const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
const DOT = 0x2e;
const CHAR_F = 0x46;
// RFC 2045 §6.7: 76 characters a line, one of them the `=` of a soft break.
const MAX_LINE = 75;

/** 1 = allowed as it is (RFC 2045 §6.7 rule 2) */
const LITERAL = new Uint8Array(256);
for (let byte = 33; byte <= 126; byte++) if (byte !== EQUALS) LITERAL[byte] = 1;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/**
 * Quoted-printable of text whose lines end in CRLF. Beyond RFC 2045, a dot and `From ` at the start of a
 * line are encoded, because some relays and mailbox formats change them.
 */
export function encodeQuotedPrintable(bytes: Buffer): Buffer {
  // Three characters for each byte and a soft break of three every 73 of them, at worst.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil((bytes.length * 3) / 72) * 3 + 8);
  let to = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === CR && bytes[at + 1] === LF) {
      out[to++] = CR;
      out[to++] = LF;
      at++;
      column = 0;
      continue;
    }
    let literal = LITERAL[byte] === 1;
    if (byte === SPACE || byte === TAB) literal = at + 1 < bytes.length && bytes[at + 1] !== CR;
    if (column + (literal ? 1 : 3) > MAX_LINE) {
      out[to++] = EQUALS;
      out[to++] = CR;
      out[to++] = LF;
      column = 0;
    }
    if (column === 0 && literal && isRiskyAtLineStart(bytes, at)) literal = false;
    if (literal) {
      out[to++] = byte;
      column++;
    } else {
      out[to++] = EQUALS;
      out[to++] = HEX[byte >> 4] ?? 0;
      out[to++] = HEX[byte & 15] ?? 0;
      column += 3;
    }
  }
  return out.subarray(0, to);
}

function isRiskyAtLineStart(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if (byte === DOT) return true;
  return byte === CHAR_F && bytes.toString('latin1', at, at + 5) === 'From ';
}

/**
 * The bytes of quoted-printable text (RFC 2045 §6.7), its lines ended by CRLF or LF. An `=` without a code is literal,
 * as in mail programs.
 */
export function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== EQUALS) {
      out[to++] = byte;
      continue;
    }
    const high = hexDigit(bytes[at + 1]);
    const low = hexDigit(bytes[at + 2]);
    const softBreak = high < 0 || low < 0 ? softBreakEnd(bytes, at + 1) : undefined;
    if (high >= 0 && low >= 0) {
      out[to++] = high * 16 + low;
      at += 2;
    } else if (softBreak !== undefined) {
      at = softBreak;
    } else {
      out[to++] = byte;
    }
  }
  return out.subarray(0, to);
}

/** @returns -1 when it is none */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** A run of more blanks than a line may have belongs to no line end. */
const MAX_BLANKS = 998;

/** @returns the position of the LF of a soft line break; blanks may precede it */
function softBreakEnd(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while ((bytes[at] === SPACE || bytes[at] === TAB) && at - from < MAX_BLANKS) at++;
  if (bytes[at] === LF) return at;
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 1 : undefined;
}
