// RFC 2047 §2: an encoded word is at most 75 characters; `=?UTF-8?B?` and `?=` take 12 of them.
const MAX_PAYLOAD = 63;
// A word that begins near the end of the line still has to hold one character of four bytes in Q encoding.
const MIN_PAYLOAD = 12;

const Q_SAFE = new Set(
  Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/', 'latin1'),
);

/**
 * Writes a text as RFC 2047 encoded words in UTF-8, separated by `\r\n `: each fits on a line of its own and
 * no character is cut in two. Q encoding is used where it is shorter, B encoding otherwise.
 * @param column where the first word begins, so that the first line stays within 76 characters
 */
export function encodeWords(text: string, column = 1): string {
  const bytes = Buffer.from(text, 'utf8');
  let quoted = 0;
  for (const byte of bytes) if (byte !== 0x20 && !Q_SAFE.has(byte)) quoted++;
  const useQ = bytes.length + quoted * 2 <= (bytes.length * 4) / 3;
  const words: string[] = [];
  let from = 0;
  let payload = Math.min(Math.max(MAX_PAYLOAD - column + 1, MIN_PAYLOAD), MAX_PAYLOAD);
  while (from < bytes.length) {
    const to = characterStart(
      bytes,
      useQ ? endOfQWord(bytes, from, payload) : from + Math.floor(payload / 4) * 3,
    );
    words.push(useQ ? qWord(bytes, from, to) : bWord(bytes, from, to));
    from = to;
    payload = MAX_PAYLOAD;
  }
  return words.join('\r\n ');
}

function bWord(bytes: Buffer, from: number, to: number): string {
  return `=?UTF-8?B?${bytes.toString('base64', from, to)}?=`;
}

function qWord(bytes: Buffer, from: number, to: number): string {
  let payload = '';
  for (let at = from; at < to; at++) payload += qCharacter(bytes[at] ?? 0);
  return `=?UTF-8?Q?${payload}?=`;
}

function qCharacter(byte: number): string {
  if (byte === 0x20) return '_';
  if (Q_SAFE.has(byte)) return String.fromCharCode(byte);
  return `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function endOfQWord(bytes: Buffer, from: number, payload: number): number {
  let used = 0;
  let to = from;
  while (to < bytes.length) {
    const byte = bytes[to] ?? 0;
    used += byte === 0x20 || Q_SAFE.has(byte) ? 1 : 3;
    if (used > payload) break;
    to++;
  }
  return to;
}

/** Steps back to the start of the UTF-8 character that would be cut. */
function characterStart(bytes: Buffer, to: number): number {
  let start = Math.min(to, bytes.length);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
