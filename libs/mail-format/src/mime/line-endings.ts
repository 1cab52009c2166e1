/** CRLF everywhere: lone LF and lone CR become CRLF. */
export function textToCrlf(text: string): string {
  if (!text.includes('\r')) return text.includes('\n') ? text.replaceAll('\n', '\r\n') : text;
  return text.replace(/\r\n|\r|\n/g, '\r\n');
}

/**
 * CRLF everywhere in a raw message. A lone CR or LF inside a message is what SMTP smuggling is made of
 * (RFC 5321 §2.3.8 forbids both), and a signature over bytes that a relay will mend does not verify.
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
