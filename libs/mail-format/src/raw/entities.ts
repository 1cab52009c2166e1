import type { RawField } from '../dkim/canonicalization.js';
import { splitHeaders } from '../dkim/canonicalization.js';
import { firstToken } from '../read/parameters.rules.js';
import { readContentType } from '../read/parts.js';
import { readTransferEncoding, type TransferEncoding } from '../read/transfer-encodings.js';
import { fieldValue } from './raw-message.js';

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** One MIME entity (RFC 2045 §2.4), with the positions of its header and its body. */
export interface Entity {
  readonly headers: readonly RawField[];
  /** in the body of the message; undefined: the part is the whole message */
  readonly headersAt: Range | undefined;
  /** in the body of the message */
  readonly bodyAt: Range;
}

/** An entity without parsed parts. */
export interface Leaf extends Entity {
  /** in lower case; `text/plain` where there is none */
  readonly type: string;
  readonly charset: string | undefined;
  /** the encoding of its body; undefined: unknown */
  readonly encoding: TransferEncoding | undefined;
  /** RFC 1847, RFC 8551: a change of any byte breaks the signature */
  readonly isSealed: boolean;
}

const AS_IS = new Set(['', '7bit', '8bit', 'binary']);

// Only hostile messages nest this deep or have so many parts. Deeper parts are not found.
const MAX_DEPTH = 20;
const MAX_PARTS = 500;
const MAX_PART_HEADER_BYTES = 64 * 1024;
const SEALED = new Set(['multipart/signed', 'multipart/encrypted']);

interface Search {
  readonly body: Buffer;
  readonly visit: (entity: Entity, leaf: Leaf | undefined) => void;
  seen: number;
}

/** The leaves of a message, in the order of their bytes. @param visit is called with the multiparts, too */
export function walkEntities(headers: readonly RawField[], body: Buffer, visit: Search['visit']): void {
  const whole = { headers, headersAt: undefined, bodyAt: { from: 0, to: body.length } };
  walk({ body, visit, seen: 0 }, whole, 0);
}

function walk(search: Search, entity: Entity, depth: number): void {
  search.seen += 1;
  if (depth > MAX_DEPTH || search.seen > MAX_PARTS) return;
  const { type, parameters } = readContentType(headerValue(entity, 'content-type'), 'text/plain');
  const boundary = parameters.get('boundary');
  const isSealed = SEALED.has(type);
  if (!type.startsWith('multipart/') || isSealed || !boundary) {
    const encoding = encodingOf(entity);
    search.visit(entity, { ...entity, type, charset: parameters.get('charset'), encoding, isSealed });
    return;
  }
  search.visit(entity, undefined);
  for (const part of partsOf(search.body, entity.bodyAt, boundary)) {
    if (search.seen > MAX_PARTS) return;
    walk(search, part, depth + 1);
  }
}

function encodingOf(entity: Entity): TransferEncoding | undefined {
  const given = headerValue(entity, 'content-transfer-encoding') ?? '';
  return readTransferEncoding(given) || (AS_IS.has(firstToken(given)) ? '' : undefined);
}

export function headerValue({ headers }: Entity, name: string): string | undefined {
  const field = headers.find((one) => one.name === name);
  return field && fieldValue(field).trim();
}

/** The parts of a multipart (RFC 2046 §5.1.1): the bytes between lines that begin with its delimiter. */
function* partsOf(body: Buffer, { from, to }: Range, boundary: string): Generator<Entity> {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  let start: number | undefined;
  for (const line of delimiterLines(body.subarray(0, to), delimiter, from)) {
    if (start !== undefined) yield entityAt(body, { from: start, to: Math.max(start, line.at - 2) });
    start = line.behind;
    if (line.isLast) return;
  }
}

function* delimiterLines(
  body: Buffer,
  delimiter: Buffer,
  from: number,
): Generator<{ at: number; behind: number; isLast: boolean }> {
  for (let at = body.indexOf(delimiter, from); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    if (at !== from && !(body[at - 1] === 0x0a && body[at - 2] === 0x0d)) continue;
    const lineEnd = body.indexOf('\r\n', at, 'latin1');
    const end = lineEnd < 0 ? body.length : lineEnd;
    // a longer boundary begins with the same text
    const rest = /^(--)?[ \t]*$/.exec(
      body.toString('latin1', at + delimiter.length, Math.min(end, at + 2_000)),
    );
    if (rest) yield { at, behind: Math.min(end + 2, body.length), isLast: rest[1] !== undefined };
  }
}

function entityAt(body: Buffer, { from, to }: Range): Entity {
  const part = body.subarray(from, to);
  const noHeaders = part[0] === 0x0d;
  const end = noHeaders ? 0 : part.subarray(0, MAX_PART_HEADER_BYTES).indexOf('\r\n\r\n', 0, 'latin1') + 2;
  if (end === 1) return { headers: [], headersAt: { from, to: from }, bodyAt: { from: to, to } };
  return {
    headers: splitHeaders(part.subarray(0, end)),
    headersAt: { from, to: from + end },
    bodyAt: { from: from + end + 2, to },
  };
}
