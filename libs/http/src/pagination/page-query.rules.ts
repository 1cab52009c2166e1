import { createHash } from 'node:crypto';
import { ApiError } from '@postmesh/contracts';

export const MAX_LIMIT = 100;

export interface PageQuery {
  /** most items on the page, 1-100 */
  limit: number;
  /** at most one of `after` and `before` is set; neither = the first page */
  after?: SortKey;
  before?: SortKey;
}

/**
 * Reads `limit`, `after`, `before` (and the old name `cursor` for `after`) of a list request (spec
 * 1-platform §1.3). Other parameters are ignored; an empty one is absent already (`query` of service-host).
 * @throws ApiError 400 with the texts of §1.3
 */
export function parsePageQuery(query: Readonly<Record<string, unknown>>): PageQuery {
  const limit = parseLimit(query['limit']);
  const { after, before } = query;
  if (after !== undefined && before !== undefined) {
    throw new ApiError(400, 'after and before are mutually exclusive');
  }
  if (before !== undefined) return { limit, before: parseCursor(before) };
  const start = after ?? query['cursor'];
  return start === undefined ? { limit } : { limit, after: parseCursor(start) };
}

function parseLimit(value: unknown): number {
  if (value === undefined) return MAX_LIMIT;
  const limit = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw new ApiError(400, `limit must be between 1 and ${MAX_LIMIT}`);
  return limit;
}

// a repeated parameter arrives as an array, which is no valid cursor
const parseCursor = (value: unknown): SortKey => decodeCursor(typeof value === 'string' ? value : '');

/** The position of a row in a list that is sorted by `(created_at, id)`. */
export interface SortKey {
  /** microseconds since 1970, the precision of Postgres: a `Date` would lose the last three digits */
  createdAtMicros: number;
  /** UUID, lower case */
  id: string;
}

const MICROS_BYTES = 8;
const ID_BYTES = 16;
const KEY_BYTES = MICROS_BYTES + ID_BYTES;
// No signature, since a cursor grants nothing; the checksum only detects damaged cursors.
const CHECK_BYTES = 4;

/** The opaque form: base64url of the sort key and a checksum (spec 1-platform §1.3.2). */
export function encodeCursor({ createdAtMicros, id }: SortKey): string {
  const bytes = Buffer.alloc(KEY_BYTES + CHECK_BYTES);
  bytes.writeBigUInt64BE(BigInt(createdAtMicros));
  bytes.write(id.replaceAll('-', ''), MICROS_BYTES, 'hex');
  checksum(bytes).copy(bytes, KEY_BYTES);
  return bytes.toString('base64url');
}

/** @throws ApiError 400 `invalid cursor` for every text that `encodeCursor` does not return */
export function decodeCursor(text: string): SortKey {
  const bytes = Buffer.from(text, 'base64url');
  const whole =
    bytes.length === KEY_BYTES + CHECK_BYTES &&
    bytes.subarray(KEY_BYTES).equals(checksum(bytes)) &&
    // the decoder ignores unknown characters and spare bits, so that one key would have many spellings
    bytes.toString('base64url') === text;
  const micros = whole ? bytes.readBigUInt64BE() : undefined;
  if (micros === undefined || micros > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ApiError(400, 'invalid cursor');
  }
  return { createdAtMicros: Number(micros), id: uuidOf(bytes) };
}

const checksum = (bytes: Buffer): Buffer =>
  createHash('sha256').update(bytes.subarray(0, KEY_BYTES)).digest().subarray(0, CHECK_BYTES);

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex', MICROS_BYTES, KEY_BYTES);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
