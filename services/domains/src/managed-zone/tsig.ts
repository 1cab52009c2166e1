import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TsigKey } from '@postmesh/settings';

/** Transaction signatures of DNS messages (RFC 8945), for one request and its one response. */

const TYPE_TSIG = 250;
const CLASS_ANY = 255;
/** Allowed difference of clocks (RFC 8945 §10 recommends 300 s). */
const FUDGE_S = 300;
const HEADER_BYTES = 12;
const ARCOUNT_AT = 10;
const COUNTS_AT = [4, 6, 8, ARCOUNT_AT];
/** type, class, TTL and length of a record, after its name */
const FIXED_BYTES = 10;

const HASHES = { 'hmac-sha256': 'sha256', 'hmac-sha384': 'sha384', 'hmac-sha512': 'sha512' } as const;

interface SignedMessage {
  message: Buffer;
  /** the signature of the response covers it, too */
  mac: Buffer;
}

/** @param message without a TSIG record */
export function signMessage(message: Buffer, key: TsigKey, now: Date): SignedMessage {
  const about = { time: unixTime(now), fudge: FUDGE_S, error: 0, other: Buffer.alloc(0) };
  const mac = digest(key, [message, tsigVariables(key, about)]);
  const record = tsigRecord(key, { ...about, mac, originalId: message.readUInt16BE(0) });
  return { message: withRecordCount(Buffer.concat([message, record]), +1), mac };
}

/** The reason why a response is not trusted. */
class UnverifiedResponse extends Error {
  override readonly name = 'UnverifiedResponse';
}

/**
 * Checks that the response is signed with the key and belongs to the request (RFC 8945 §5.3).
 * @param requestMac the MAC of the request
 * @throws UnverifiedResponse
 */
export function verifyResponse(response: Buffer, key: TsigKey, requestMac: Buffer, now: Date): void {
  const { start, tsig } = readTsig(response);
  if (tsig.mac.length === 0) throw new UnverifiedResponse(errorText(tsig.error));
  if (tsig.name !== key.name || tsig.algorithm !== key.algorithm) {
    throw new UnverifiedResponse('it is signed with another key');
  }
  const unsigned = withRecordCount(Buffer.from(response.subarray(0, start)), -1);
  unsigned.writeUInt16BE(tsig.originalId, 0);
  const expected = digest(key, [lengthPrefixed(requestMac), unsigned, tsigVariables(key, tsig)]);
  // the RFC allows a truncated MAC, but servers do not send one in response to a full one
  if (expected.length !== tsig.mac.length || !timingSafeEqual(expected, tsig.mac)) {
    throw new UnverifiedResponse('its signature is wrong');
  }
  if (tsig.error !== 0) throw new UnverifiedResponse(errorText(tsig.error));
  if (Math.abs(unixTime(now) - tsig.time) > tsig.fudge) throw new UnverifiedResponse(errorText(BADTIME));
}

const BADTIME = 18;
const ERRORS: Readonly<Record<number, string>> = {
  16: 'the server does not accept the signature (BADSIG)',
  17: 'the server does not know the key (BADKEY)',
  [BADTIME]: 'the clocks of server and client differ too much (BADTIME)',
};

const errorText = (error: number): string => ERRORS[error] ?? `it is not signed (TSIG error ${error})`;

interface Tsig extends TsigTimes {
  name: string;
  algorithm: string;
  mac: Buffer;
  originalId: number;
}

interface TsigTimes {
  /** Unix time, s */
  time: number;
  fudge: number;
  error: number;
  other: Buffer;
}

const unixTime = (date: Date): number => Math.floor(date.getTime() / 1_000);

function digest(key: TsigKey, parts: readonly Buffer[]): Buffer {
  const hmac = createHmac(HASHES[key.algorithm], key.secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** The signed fields in addition to the message (RFC 8945 §4.3.3). */
function tsigVariables(key: TsigKey, { time, fudge, error, other }: TsigTimes): Buffer {
  const classAndTtl = Buffer.alloc(6);
  classAndTtl.writeUInt16BE(CLASS_ANY, 0);
  const errorField = Buffer.alloc(2);
  errorField.writeUInt16BE(error);
  return Buffer.concat([
    wireName(key.name),
    classAndTtl,
    wireName(key.algorithm),
    timeAndFudge(time, fudge),
    errorField,
    lengthPrefixed(other),
  ]);
}

function tsigRecord(
  key: TsigKey,
  { time, fudge, mac, originalId, error, other }: Omit<Tsig, 'name' | 'algorithm'>,
) {
  const idAndError = Buffer.alloc(4);
  idAndError.writeUInt16BE(originalId, 0);
  idAndError.writeUInt16BE(error, 2);
  const data = Buffer.concat([
    wireName(key.algorithm),
    timeAndFudge(time, fudge),
    lengthPrefixed(mac),
    idAndError,
    lengthPrefixed(other),
  ]);
  const head = Buffer.alloc(FIXED_BYTES - 2);
  head.writeUInt16BE(TYPE_TSIG, 0);
  head.writeUInt16BE(CLASS_ANY, 2);
  return Buffer.concat([wireName(key.name), head, lengthPrefixed(data)]);
}

/** The TSIG record has to be the last one (RFC 8945 §5.1); the response is parsed to find its beginning. */
function readTsig(message: Buffer): { start: number; tsig: Tsig } {
  try {
    const [questions, ...records] = COUNTS_AT.map((at) => message.readUInt16BE(at)) as [number, ...number[]];
    const total = records.reduce((sum, count) => sum + count, 0);
    let at = HEADER_BYTES;
    for (let nth = 0; nth < questions; nth += 1) at = readName(message, at).end + 4;
    let start = at;
    for (let nth = 0; nth < total; nth += 1) {
      start = at;
      const fixed = readName(message, at).end;
      at = fixed + FIXED_BYTES + message.readUInt16BE(fixed + FIXED_BYTES - 2);
    }
    if (total === 0 || at !== message.length) throw new UnverifiedResponse('it is not signed');
    const { text: name, end } = readName(message, start);
    if (message.readUInt16BE(end) !== TYPE_TSIG) throw new UnverifiedResponse('it is not signed');
    return { start, tsig: { name, ...readTsigData(message, end + FIXED_BYTES) } };
  } catch (error) {
    if (error instanceof UnverifiedResponse) throw error;
    throw new UnverifiedResponse('it is no DNS message', { cause: error });
  }
}

function readTsigData(message: Buffer, from: number): Omit<Tsig, 'name'> {
  const { text: algorithm, end } = readName(message, from);
  const time = message.readUIntBE(end, 6);
  const fudge = message.readUInt16BE(end + 6);
  const macEnd = end + 10 + message.readUInt16BE(end + 8);
  const mac = message.subarray(end + 10, macEnd);
  const originalId = message.readUInt16BE(macEnd);
  const error = message.readUInt16BE(macEnd + 2);
  const other = message.subarray(macEnd + 6, macEnd + 6 + message.readUInt16BE(macEnd + 4));
  return { algorithm, time, fudge, mac, originalId, error, other };
}

const POINTER = 0xc0;
// Each pointer must point backwards, so that no name is longer than its message.
const MAX_LABELS = 128;

/** @throws RangeError when the name exceeds the message */
function readName(message: Buffer, from: number): { text: string; end: number } {
  const labels: string[] = [];
  let at = from;
  let end: number | undefined;
  for (let steps = 0; steps < MAX_LABELS; steps += 1) {
    const length = message.readUInt8(at);
    if (length >= POINTER) {
      end ??= at + 2;
      at = message.readUInt16BE(at) & 0x3fff;
    } else if (length === 0) {
      return { text: labels.join('.').toLowerCase(), end: end ?? at + 1 };
    } else {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
  throw new RangeError('a name has no end');
}

/** Canonical form: lower case, not compressed. */
function wireName(name: string): Buffer {
  const labels = name
    .split('.')
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function timeAndFudge(time: number, fudge: number): Buffer {
  const field = Buffer.alloc(8);
  field.writeUIntBE(time, 0, 6);
  field.writeUInt16BE(fudge, 6);
  return field;
}

function lengthPrefixed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function withRecordCount(message: Buffer, change: number): Buffer {
  message.writeUInt16BE(message.readUInt16BE(ARCOUNT_AT) + change, ARCOUNT_AT);
  return message;
}
