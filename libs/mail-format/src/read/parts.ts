import { decodeCharset } from './charsets.js';
import { readHeaders, type ReadFields } from './header-fields.js';
import { readParameters } from './parameters.rules.js';
import { decodeTransfer, readTransferEncoding, type TransferEncoding } from './transfer-encodings.js';

// Spec 1-platform §13.4 takes mail of 20 MiB, and our own fields come on top; the rest is far beyond real mail.
const MAX_BYTES = 21 * 1024 * 1024;
const MAX_DEPTH = 20;
const MAX_PARTS = 1_000;
/** RFC 2046 §5.1.1 allows 70. */
const MAX_BOUNDARY_CHARS = 200;
/** Lines that begin with two hyphens, as boundaries do: also a dump of a database, attached as text, has fewer. */
const MAX_HYPHEN_LINES = 200_000;
/** Limit of one encoded part; reports are short, and of an enclosed message the header and a first part are enough. */
const MAX_DECODED_BYTES = 1024 * 1024;
/** Limit of all encoded parts together. */
const MAX_DECODED_TOTAL = 8 * MAX_DECODED_BYTES;

const LF = 0x0a;
const CR = 0x0d;
const HYPHEN = 0x2d;

/** A message or one part of it. Nothing is copied or decoded before it is used, except enclosed messages. */
export interface Part {
  /** in lower case, `text/plain` */
  readonly type: string;
  /** of Content-Type, names in lower case */
  readonly parameters: ReadonlyMap<string, string>;
  readonly encoding: TransferEncoding;
  readonly fields: ReadFields;
  /** as it was transferred */
  readonly body: Buffer;
  /** of a multipart */
  readonly parts: readonly Part[];
  /** the content of a message/rfc822; for a part with headers only their message without a body */
  readonly enclosed?: Part | undefined;
}

export interface ReadMail {
  readonly root: Part;
  /** something was left out */
  readonly cut: boolean;
}

/**
 * Reads a message into its parts: 21 MiB, 20 levels, 1,000 parts, in linear time. Broken parts are read up to the
 * fault.
 */
export function readParts(raw: Buffer): ReadMail {
  const reader = new PartReader();
  const bytes = raw.subarray(0, MAX_BYTES);
  const root = reader.readMessage(bytes, 0);
  return { root, cut: reader.cut || bytes.length < raw.length };
}

interface Place {
  readonly lines: HyphenLines;
  readonly depth: number;
}

class PartReader {
  cut = false;
  private parts = 0;
  private decoded = 0;

  readMessage(bytes: Buffer, depth: number): Part {
    const lines = new HyphenLines(bytes);
    this.cut ||= lines.cut;
    return this.read(withoutMboxLine(bytes), { lines, depth });
  }

  private read(bytes: Buffer, { lines, depth }: Place, fallbackType = 'text/plain'): Part {
    this.parts += 1;
    const { fields, body, cut } = readHeaders(bytes);
    this.cut ||= cut;
    const { type, parameters } = readContentType(fields.first('content-type'), fallbackType);
    const encoding = readTransferEncoding(fields.first('content-transfer-encoding'));
    const leaf = { type, parameters, encoding, fields, body, parts: [] };
    const container = type.startsWith('multipart/') || holdsMessage(type);
    if (!container) return leaf;
    if (depth >= MAX_DEPTH) {
      this.cut = true;
      return leaf;
    }
    const below = { lines, depth: depth + 1 };
    if (holdsMessage(type)) return { ...leaf, enclosed: this.readEnclosed(leaf, below) };
    const inner = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    const parts = this.split(leaf, lines, (part) => this.read(part, below, inner));
    // without its boundary it is read as text: some writers forget it
    return parts.length > 0 ? { ...leaf, parts } : { ...leaf, type: 'text/plain' };
  }

  /** RFC 2046 §5.2.1 forbids to encode it; some writers encode it nevertheless. */
  private readEnclosed({ encoding, body }: Part, place: Place): Part | undefined {
    if (this.parts >= MAX_PARTS) {
      this.cut = true;
      return undefined;
    }
    if (encoding === '') return this.read(withoutMboxLine(body), place);
    const room = Math.min(MAX_DECODED_BYTES, MAX_DECODED_TOTAL - this.decoded);
    const bytes = decodeTransfer(body.subarray(0, room * 3), encoding, room);
    this.decoded += bytes.length;
    return this.readMessage(bytes, place.depth);
  }

  private split({ parameters, body }: Part, lines: HyphenLines, read: (part: Buffer) => Part): Part[] {
    const boundary = parameters.get('boundary') ?? '';
    if (boundary === '' || boundary.length > MAX_BOUNDARY_CHARS) return [];
    const delimiter = Buffer.from(`--${boundary}`, 'utf8');
    const parts: Part[] = [];
    let from = -1;
    for (const at of lines.within(body)) {
      const line = beginsAt(body, at, delimiter) ? delimiterLine(body, at + delimiter.length) : undefined;
      if (line === undefined) continue;
      if (from >= 0) parts.push(read(body.subarray(from, Math.max(from, withoutLineEnd(body, at)))));
      from = line.next;
      if (line.last) return parts;
      if (this.parts >= MAX_PARTS) {
        this.cut = true;
        return parts;
      }
    }
    // cut short: keeps the beginning of the last part
    if (from >= 0) parts.push(read(body.subarray(from)));
    return parts;
  }
}

/**
 * Positions of lines that begin with two hyphens, found once for all levels of a message: otherwise each level would
 * need a search of its own.
 */
class HyphenLines {
  readonly cut: boolean;
  private readonly places: number[] = [];

  constructor(private readonly bytes: Buffer) {
    if (bytes[0] === HYPHEN && bytes[1] === HYPHEN) this.places.push(0);
    let at = bytes.indexOf('\n--', 0, 'latin1');
    for (; at >= 0 && this.places.length < MAX_HYPHEN_LINES; at = bytes.indexOf('\n--', at + 1, 'latin1')) {
      this.places.push(at + 1);
    }
    this.cut = at >= 0;
  }

  /** @param part of the bytes @returns places in it, in order */
  *within(part: Buffer): Generator<number> {
    const from = part.byteOffset - this.bytes.byteOffset;
    for (let nth = this.firstBehind(from); nth < this.places.length; nth++) {
      const at = (this.places[nth] ?? 0) - from;
      if (at >= part.length) return;
      yield at;
    }
  }

  /** @returns the index of the first place at or behind `from` */
  private firstBehind(from: number): number {
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.places[middle] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function beginsAt(body: Buffer, at: number, wanted: Buffer): boolean {
  for (let each = 0; each < wanted.length; each++) if (body[at + each] !== wanted[each]) return false;
  return true;
}

/**
 * @param from behind the boundary
 * @returns the start of the part behind it, and whether it is the closing one; undefined when it is no delimiter
 */
function delimiterLine(body: Buffer, from: number): { next: number; last: boolean } | undefined {
  let end = from;
  const last = body[end] === HYPHEN && body[end + 1] === HYPHEN;
  if (last) end += 2;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === CR) end += 1;
  if (end < body.length && body[end] !== LF) return undefined;
  return { next: Math.min(end + 1, body.length), last };
}

function withoutLineEnd(body: Buffer, at: number): number {
  if (body[at - 1] !== LF) return at;
  return body[at - 2] === CR ? at - 2 : at - 1;
}

/** `From ann@mail.test Mon Jan …` on top, as mailbox files have it. */
function withoutMboxLine(bytes: Buffer): Buffer {
  const line = /^>?From [^\n]{0,200}\n/.exec(bytes.toString('latin1', 0, 210));
  return line === null ? bytes : bytes.subarray(line[0].length);
}

const HOLDS_MESSAGE = new Set([
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'text/rfc822-header',
  'message/rfc822-headers',
  'message/global-headers',
]);

const holdsMessage = (type: string): boolean => HOLDS_MESSAGE.has(type);

/** @param maxBytes of the part once decoded */
export function textOf({ encoding, body, parameters }: Part, maxBytes = MAX_DECODED_BYTES): string {
  const bytes = decodeTransfer(body.subarray(0, maxBytes * 3), encoding, maxBytes);
  return decodeCharset(bytes, parameters.get('charset') ?? '');
}

/** Parts of a message itself, without containers: a message that it encloses is one of them. */
export function leavesOf(part: Part): Part[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf);
}

/** RFC 2045 §5.1; an unreadable type is the fallback. */
export function readContentType(
  field: string | undefined,
  fallback: string,
): { type: string; parameters: ReadonlyMap<string, string> } {
  const { value, parameters } = readParameters(field);
  return { type: /^[\w.+-]+\/[\w.+-]+$/.test(value) ? value : fallback, parameters };
}
