const EQUALS = 0x3d;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Undoes a Content-Transfer-Encoding (RFC 2045 §6). What is not encoded well stays as it is.
 * @param maxBytes of the result; the rest is not decoded
 */
export function decodeTransfer(body: Buffer, encoding: string, maxBytes: number): Buffer {
  if (encoding === 'base64') return decodeBase64(body, maxBytes);
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(body).subarray(0, maxBytes);
  return body.subarray(0, maxBytes);
}

/** Four characters of base64 hold three bytes; half as much again leaves room for line ends. */
const BASE64_EXCESS = 1.5;

function decodeBase64(body: Buffer, maxBytes: number): Buffer {
  const text = body.toString('latin1', 0, Math.ceil(maxBytes * BASE64_EXCESS));
  return Buffer.from(text, 'base64').subarray(0, maxBytes);
}

function decodeQuotedPrintable(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length);
  let to = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    if (byte !== EQUALS) {
      out[to++] = byte;
      continue;
    }
    const soft = softBreak(body, at + 1);
    if (soft > 0) {
      at += soft;
      continue;
    }
    const high = hexDigit(body[at + 1]);
    const low = hexDigit(body[at + 2]);
    if (high < 0 || low < 0) {
      out[to++] = byte;
      continue;
    }
    out[to++] = high * 16 + low;
    at += 2;
  }
  return out.subarray(0, to);
}

/** @returns how many bytes the line end has that follows; 0 when none does */
function softBreak(body: Buffer, at: number): number {
  if (body[at] === LF) return 1;
  return body[at] === CR && body[at + 1] === LF ? 2 : 0;
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** @param charset as a message names it; one that nobody knows is read as Latin-1, so that ASCII can be read */
export function decodeCharset(bytes: Buffer, charset: string): string {
  try {
    const decoder = new TextDecoder(charset === '' ? 'utf-8' : charset);
    // at once, Node reads windows-1252 as Latin-1, which has no euro sign
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    return bytes.toString('latin1');
  }
}
