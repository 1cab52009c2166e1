import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

type VerpKey = string | Buffer | KeyObject;

/** bounces come back to the envelope sender, complaints to the address in CFBL-Address */
const PREFIXES = { bounce: 'b+', feedback: 'fbl+' } as const;
type ReportKind = keyof typeof PREFIXES;

const ID_BYTES = 16;
// 80 bits: a guess a microsecond would need 19 billion years; 26 bytes in all are 42 characters of base32.
const MAC_BYTES = 10;
const TOKEN = /^[a-z2-7]{42}$/;

/**
 * The envelope sender of one record (spec 2-messages §14.3): `b+<token>@host`. The token is the record id and
 * its HMAC, so a bounce names its message without a look-up table and cannot be forged.
 * @param recordId a UUID
 * @throws TypeError when it is not
 */
export function verpAddress(recordId: string, host: string, key: VerpKey): string {
  return writeAddress(recordId, host, { kind: 'bounce', key });
}

/**
 * The address to which mailbox providers report complaints about one record (RFC 9477): `fbl+<token>@host`. The same
 * token with a signature of its own, so that the visible address cannot be turned into a bounce address.
 * @throws TypeError when the record id is not a UUID
 */
export function feedbackAddress(recordId: string, host: string, key: VerpKey): string {
  return writeAddress(recordId, host, { kind: 'feedback', key });
}

function writeAddress(recordId: string, host: string, by: { kind: ReportKind; key: VerpKey }): string {
  const id = Buffer.from(recordId.replaceAll('-', ''), 'hex');
  if (id.length !== ID_BYTES || recordId.length !== 36) throw new TypeError('a VERP record id is a UUID');
  return `${PREFIXES[by.kind]}${toBase32(Buffer.concat([id, macOf(id, by)]))}@${host}`;
}

/**
 * Reads the record id back from an envelope recipient. Letter case does not matter.
 * @param keys current key first; older ones are still accepted (rotation)
 * @returns undefined when it is not an address of this kind or its token is not ours
 */
export function readVerp(
  address: string,
  keys: readonly VerpKey[],
  kind: ReportKind = 'bounce',
): string | undefined {
  const local = address.slice(0, Math.max(address.lastIndexOf('@'), 0)).toLowerCase();
  const prefix = PREFIXES[kind];
  const token = local.startsWith(prefix) ? local.slice(prefix.length) : '';
  const bytes = TOKEN.test(token) ? fromBase32(token) : undefined;
  if (bytes === undefined) return undefined;
  const id = bytes.subarray(0, ID_BYTES);
  const mac = bytes.subarray(ID_BYTES);
  // All keys are tried, so that the time does not reveal which one matched.
  const matches = keys.filter((key) => timingSafeEqual(macOf(id, { kind, key }), mac));
  return matches.length > 0 ? formatUuid(id.toString('hex')) : undefined;
}

function macOf(id: Buffer, { kind, key }: { kind: ReportKind; key: VerpKey }): Buffer {
  // The purpose is part of the signed data: the same secret signs links as well.
  const purpose = kind === 'bounce' ? 'verp\0' : 'feedback\0';
  return createHmac('sha256', key).update(purpose).update(id).digest().subarray(0, MAC_BYTES);
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 §6 in lower case without padding: survives servers that change the letter case of an address. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}

/** @returns undefined unless the text is the canonical encoding of some bytes, ignoring case */
export function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text.toLowerCase()) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 255);
    }
    value &= (1 << bits) - 1;
  }
  return bits >= 5 || value !== 0 ? undefined : Buffer.from(bytes);
}
