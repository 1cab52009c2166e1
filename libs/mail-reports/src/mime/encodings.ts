import { decodeQuotedPrintable } from '@postmesh/mail-format';

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
