/** DER, the part of X.690 that a certificate needs: definite lengths, minimal integers. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | octets.length]), octets]);
}

export const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
export const setOf = (...parts: Buffer[]): Buffer => der(0x31, ...parts);
export const octetString = (content: Buffer): Buffer => der(0x04, content);
export const bitString = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text));
export const bool = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));

/** @param tag the context number: `[0]`, `[1]`, … */
export const context = (tag: number, constructed: boolean, content: Buffer): Buffer =>
  der((constructed ? 0xa0 : 0x80) | tag, content);

/** @param bytes big-endian, taken as a positive number */
export function integer(bytes: Buffer): Buffer {
  const negative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return der(0x02, negative ? Buffer.from([0]) : Buffer.alloc(0), bytes);
}

/** @param dotted such as `2.5.4.3`, arcs below 2^14 except where encoded longer */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(arc: number): number[] {
  const low = [arc & 0x7f];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
    low.unshift((left & 0x7f) | 0x80);
  }
  return low;
}

/** UTCTime before 2050, GeneralizedTime from then on (RFC 5280 §4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2)))
    : der(0x18, Buffer.from(digits));
}
