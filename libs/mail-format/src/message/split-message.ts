import { bytesToCrlf } from '../mime/line-endings.js';
import type { Message } from './message-content.js';

/**
 * A message that somebody else composed (SMTP submission), in the shape that signing and sending take: CRLF
 * everywhere, headers and body apart. A message without a body gets an empty one.
 */
export function splitMessage(raw: Buffer): Message {
  const bytes = bytesToCrlf(raw);
  const end = bytes.subarray(0, 2).equals(CRLF) ? -2 : bytes.indexOf('\r\n\r\n', 0, 'latin1');
  const whole = end === -1;
  const headers = whole ? closed(bytes) : bytes.subarray(0, end + 2);
  const body = whole ? EMPTY : closed(bytes.subarray(end + 4));
  return { headers, body: [body], size: headers.length + 2 + body.length, eightBit: hasEightBit(bytes) };
}

const CRLF = Buffer.from('\r\n', 'latin1');
const EMPTY = Buffer.alloc(0);

function closed(bytes: Buffer): Buffer {
  if (bytes.length === 0 || bytes.subarray(-2).equals(CRLF)) return bytes;
  return Buffer.concat([bytes, CRLF]);
}

function hasEightBit(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > 0x7f) return true;
  return false;
}
