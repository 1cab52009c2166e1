import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { BlobStore } from '@postmesh/blob-store';
import { base64Of, encodeBase64Lines, leavesOf, readParts } from '@postmesh/mail-format';

/** A message without its large attachments: parsed like the message, at a fraction of the cost. */
export interface Outline {
  /** the MIME message, a marker in place of each gap */
  readonly bytes: Buffer;
  /** in the order of the message */
  readonly gaps: readonly Gap[];
  /** of the message in memory while it is read */
  readonly heldBytes: number;
  /** Closes the source of the gaps. */
  readonly close: () => void;
}

/** The content of an attachment in base64, fetched piece by piece, as often as it is needed. */
export interface Gap {
  /** base64 of random bytes; a parser returns it as the same text */
  readonly marker: string;
  /** the text of the gap in the outline: the marker, and its line end where it has one */
  readonly place: string;
  /** as in the message */
  lines(): AsyncIterable<Buffer>;
  /** without line ends */
  base64(): AsyncIterable<string>;
}

/** Smaller contents are part of the outline. */
const GAP_FROM_BYTES = 16 * 1024;

// Some pieces of a store, and their encoded forms.
const PIECES_BYTES = 2 * 1024 * 1024;

// Whole groups of four characters, so that there is no padding, and less than a line.
const MARKER_BYTES = 45;

export const newMarker = (): Buffer => randomBytes(MARKER_BYTES);

/** Texts are decoded by their charset and joined, so they stay; of other parts only the bytes count. */
export const mayBeGap = (contentType: string, size: number): boolean =>
  size >= GAP_FROM_BYTES && !/^\s*(?:text|message|multipart)\//i.test(contentType);

const SLICE_BYTES = 96 * 1024;

/** For a message in memory: its gaps are views, so it is there once. */
export function outlineOf(raw: Buffer): Outline {
  const pieces: Buffer[] = [];
  const gaps: Gap[] = [];
  let from = 0;
  for (const part of leavesOf(readParts(raw).root)) {
    const start = part.body.byteOffset - raw.byteOffset;
    if (part.encoding !== 'base64' || !mayBeGap(part.type, part.body.length) || start < from) continue;
    const marker = newMarker().toString('base64');
    gaps.push({
      marker,
      place: marker,
      lines: () => slicesOf(part.body),
      base64: () => inTurns(base64Of(part.body, part.encoding)),
    });
    pieces.push(raw.subarray(from, start), Buffer.from(marker));
    from = start + part.body.length;
  }
  pieces.push(raw.subarray(from));
  if (gaps.length === 0) return withoutGaps(raw);
  return { ...withoutGaps(Buffer.concat(pieces)), gaps, heldBytes: raw.length };
}

/** The whole message, without gaps. */
export const withoutGaps = (bytes: Buffer): Outline => ({
  bytes,
  gaps: [],
  heldBytes: bytes.length,
  close: () => undefined,
});

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces;
}

/**
 * For a message that is composed from a stored content.
 * @param bytes with the markers of the gaps as contents of their attachments
 */
export const composedOutline = (bytes: Buffer, gaps: readonly Gap[], stored: StoredBytes): Outline => ({
  bytes,
  gaps: gaps.toSorted((one, other) => bytes.indexOf(one.marker) - bytes.indexOf(other.marker)),
  heldBytes: bytes.length + PIECES_BYTES,
  close: () => stored.close(),
});

/** Whole lines of base64 (RFC 2045 §6.8), and whole groups of it. */
const LINE_BYTES = 57;
const GROUP_BYTES = 3;

/** @param marker its text in the outline */
export const storedGap = (
  marker: Buffer,
  stored: StoredBytes,
  file: { start: number; size: number },
): Gap => ({
  marker: marker.toString('base64'),
  place: `${marker.toString('base64')}\r\n`,
  async *lines() {
    for await (const bytes of inUnits(stored.read(file), LINE_BYTES)) yield encodeBase64Lines(bytes);
  },
  async *base64() {
    for await (const bytes of inUnits(stored.read(file), GROUP_BYTES)) yield bytes.toString('base64');
  },
});

/** Each piece but the last has whole units. */
async function* inUnits(pieces: AsyncIterable<Buffer>, unit: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % unit);
    if (whole > 0) yield bytes.subarray(0, whole);
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) yield rest;
}

// Reading further costs less than a new stream, which is a request to some stores.
const SKIP_BYTES = 1024 * 1024;

/**
 * Reads ranges of one content, one at a time: a short way ahead from the same stream of the store, backward and
 * far ahead from a new one. Keeps one slice.
 */
export class StoredBytes {
  private stream: Readable | undefined;
  private slices: AsyncIterator<Buffer> | undefined;
  private slice: Buffer = Buffer.alloc(0);
  /** of the first byte of the slice */
  private at = 0;

  constructor(
    private readonly blobs: Pick<BlobStore, 'stream'>,
    private readonly id: string,
  ) {}

  /** @throws BlobMissing when it is gone, RangeError when it is too short */
  async *read({ start, size }: { start: number; size: number }): AsyncGenerator<Buffer> {
    if (start < this.at || start > this.at + this.slice.length + SKIP_BYTES) this.beginAt(start);
    const end = start + size;
    for (let from = start; from < end;) {
      if (from >= this.at + this.slice.length) await this.next();
      else {
        const piece = this.slice.subarray(from - this.at, end - this.at);
        from += piece.length;
        yield piece;
      }
    }
  }

  async readWhole(range: { start: number; size: number }): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.read(range)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  close(): void {
    this.beginAt(0);
  }

  private beginAt(start: number): void {
    this.stream?.destroy();
    this.stream = undefined;
    this.slices = undefined;
    this.slice = Buffer.alloc(0);
    this.at = start;
  }

  private async next(): Promise<void> {
    this.stream ??= this.blobs.stream(this.id, this.at);
    this.slices ??= this.stream.iterator({ destroyOnReturn: false });
    const { done, value } = await this.slices.next();
    if (done) throw new RangeError('a stored content is cut short');
    this.at += this.slice.length;
    this.slice = value;
  }
}
