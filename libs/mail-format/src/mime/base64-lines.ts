// RFC 2045 §6.8: 76 characters a line are 57 bytes.
const BYTES_PER_LINE = 57;

/** Base64 in lines of 76 characters, each ended by CRLF, the last one too. */
export function encodeBase64Lines(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(base64LinesLength(bytes.length));
  let to = 0;
  for (let from = 0; from < bytes.length; from += BYTES_PER_LINE) {
    to += out.write(
      bytes.toString('base64', from, Math.min(from + BYTES_PER_LINE, bytes.length)),
      to,
      'latin1',
    );
    out[to++] = 0x0d;
    out[to++] = 0x0a;
  }
  return out;
}

/** @returns how many bytes `encodeBase64Lines` gives for so many bytes */
export function base64LinesLength(bytes: number): number {
  return Math.ceil(bytes / 3) * 4 + Math.ceil(bytes / BYTES_PER_LINE) * 2;
}
