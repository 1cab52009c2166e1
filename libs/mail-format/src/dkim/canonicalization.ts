import { createHash } from 'node:crypto';

export type Canonicalization = 'relaxed' | 'simple';

/** The body hash of a signature. Messages with the same body share it. */
export interface PreparedBody {
  /** `bh=`, base64 of SHA-256 */
  readonly bodyHash: string;
  readonly canonicalization: Canonicalization;
}

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const CRLF = Buffer.from('\r\n', 'latin1');
const PIECE = 64 * 1024;

// Output of one piece; only used within one synchronous update.
const scratch = Buffer.allocUnsafe(PIECE * 2);

/** Hashes a body once for every message that carries it. */
export function prepareBody(
  body: readonly Buffer[],
  canonicalization: Canonicalization = 'relaxed',
): PreparedBody {
  const hasher = new BodyHasher(canonicalization);
  for (const chunk of body) hasher.update(chunk);
  return hasher.digest();
}

/**
 * SHA-256 over a canonical body (RFC 6376 §3.4.3, §3.4.4), in pieces of any size. Runs of blanks become one (relaxed),
 * blanks before a line end are removed (relaxed), empty lines at the end are removed, and a missing line end is added.
 * The lines must end in CRLF (`bytesToCrlf`).
 */
export class BodyHasher {
  private readonly hash = createHash('sha256');
  private readonly relaxed: boolean;
  /** blanks and line ends since the last other byte: hashed only when another byte follows */
  private held: Buffer[] = [];
  private empty = true;

  constructor(private readonly canonicalization: Canonicalization = 'relaxed') {
    this.relaxed = canonicalization === 'relaxed';
  }

  update(chunk: Buffer): this {
    const end = endOfWords(chunk, this.relaxed);
    if (end > 0) {
      const words = chunk.subarray(0, end);
      this.write(this.held.length > 0 ? Buffer.concat([...this.held, words]) : words);
      this.held = [];
      this.empty = false;
    }
    if (end < chunk.length) this.held.push(chunk.subarray(end));
    return this;
  }

  /** Ends the body; the hasher cannot be used again. */
  digest(): PreparedBody {
    // An empty body is nothing when relaxed, one line end when simple.
    if (!this.empty || !this.relaxed) this.hash.update(CRLF);
    return { bodyHash: this.hash.digest('base64'), canonicalization: this.canonicalization };
  }

  /** @param bytes end in a byte that is neither blank nor line end */
  private write(bytes: Buffer): void {
    if (!this.relaxed) {
      this.hash.update(bytes);
      return;
    }
    for (let from = 0; from < bytes.length;) {
      const to = pieceEnd(bytes, from);
      this.hash.update(relax(bytes, from, to));
      from = to;
    }
  }
}

/** Where a piece may end without splitting a run of blanks or a CRLF from the text before it. */
function pieceEnd(bytes: Buffer, from: number): number {
  let end = Math.min(from + PIECE, bytes.length);
  while (end < bytes.length && (bytes[end] ?? 0) <= SPACE) end++;
  return end;
}

/** Copies in runs; only blanks are handled one by one. Bytes without any, such as base64, are not searched again. */
function relax(bytes: Buffer, start: number, end: number): Buffer {
  const piece = bytes.subarray(start, end);
  if (!piece.includes(SPACE) && !piece.includes(TAB)) return piece;
  const out = end - start > scratch.length ? Buffer.allocUnsafe(end - start) : scratch;
  let to = 0;
  let from = start;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > SPACE || (byte !== SPACE && byte !== TAB)) continue;
    if (byte === SPACE && (bytes[at + 1] ?? 0) > SPACE) continue;
    let next = at + 1;
    while (bytes[next] === SPACE || bytes[next] === TAB) next++;
    to += bytes.copy(out, to, from, at);
    if (bytes[next] !== CR || bytes[next + 1] !== LF) out[to++] = SPACE;
    from = next;
    at = next - 1;
  }
  if (from === start) return piece;
  to += bytes.copy(out, to, from, end);
  return out.subarray(0, to);
}

/** The position behind the last byte that is no line end and, when relaxed, no blank. */
function endOfWords(chunk: Buffer, relaxed: boolean): number {
  let end = chunk.length;
  while (end > 0) {
    const byte = chunk[end - 1];
    if (byte !== LF && byte !== CR && !(relaxed && (byte === SPACE || byte === TAB))) break;
    end--;
  }
  return end;
}

/** A field as in the message: folded, bytes as latin1 characters, without CRLF at its end. */
export interface RawField {
  /** lower case */
  readonly name: string;
  readonly text: string;
}

/** @param headers fields, each ended by CRLF, without the empty line */
export function splitHeaders(headers: Buffer): RawField[] {
  return headers
    .toString('latin1')
    .split(/\r\n(?![ \t])/)
    .filter((text) => text !== '')
    .map((text) => {
      const colon = text.indexOf(':');
      return {
        name: text
          .slice(0, colon < 0 ? text.length : colon)
          .trimEnd()
          .toLowerCase(),
        text,
      };
    });
}

/** One field in canonical form, without CRLF at its end (RFC 6376 §3.4.1, §3.4.2). */
export function canonicalField(field: RawField, canonicalization: Canonicalization): string {
  if (canonicalization === 'simple') return field.text;
  const value = field.text.slice(field.text.indexOf(':') + 1);
  const unfolded = value.includes('\r\n') ? value.replaceAll('\r\n', '') : value;
  // a single blank stays: nearly every field has no others, and none is replaced by the same one
  return `${field.name}:${trimBlanks(unfolded.replace(/[ \t]{2,}|\t/g, ' '))}`;
}

/** Runs of blanks are single blanks already, so there is at most one at each end. */
function trimBlanks(value: string): string {
  const start = value.startsWith(' ') ? 1 : 0;
  return value.endsWith(' ') && value.length > start ? value.slice(start, -1) : value.slice(start);
}
