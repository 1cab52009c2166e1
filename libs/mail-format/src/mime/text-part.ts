import { encodeBase64Lines } from './base64-lines.js';
import { textToCrlf } from './line-endings.js';
import type { MimePart } from './mime-part.js';
import { encodeQuotedPrintable } from './quoted-printable.js';

export type TextType = 'text/plain' | 'text/x-amp-html' | 'text/html';

// RFC 5322 §2.1.1 allows 998 characters; some room for relays that add to a line.
const LONGEST_7BIT_LINE = 900;
// From here on base64 is shorter than quoted-printable: 3 characters for each such byte against 4/3 for all.
const BASE64_FROM_SHARE = 0.18;

/**
 * One text part in UTF-8: as it is when it is ASCII in lines of reasonable length, else quoted-printable, else
 * (mostly other scripts) base64. Line breaks become CRLF; nothing else of the text changes.
 */
export function textPart(type: TextType, text: string): MimePart {
  const crlf = textToCrlf(text);
  const bytes = Buffer.from(crlf, 'utf8');
  if (bytes.length === crlf.length && fitsSevenBit(crlf)) return part(type, '7bit', bytes);
  return shareBeyondAscii(bytes) > BASE64_FROM_SHARE
    ? part(type, 'base64', encodeBase64Lines(bytes))
    : part(type, 'quoted-printable', encodeQuotedPrintable(bytes));
}

function part(type: TextType, encoding: string, body: Buffer): MimePart {
  const headers = `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  return { headers, body: [body] };
}

/** RFC 2045 §2.7: no NUL, and no line too long; lone CR and LF are gone already. */
function fitsSevenBit(crlf: string): boolean {
  if (crlf.includes('\0')) return false;
  let lineStart = 0;
  for (let end = crlf.indexOf('\n'); end >= 0; end = crlf.indexOf('\n', lineStart)) {
    if (end - lineStart > LONGEST_7BIT_LINE) return false;
    lineStart = end + 1;
  }
  return crlf.length - lineStart <= LONGEST_7BIT_LINE;
}

function shareBeyondAscii(bytes: Buffer): number {
  let beyond = 0;
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > 0x7e) beyond++;
  return beyond / bytes.length;
}
