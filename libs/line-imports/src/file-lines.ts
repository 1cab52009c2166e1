import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { ApiError, ApiErrors } from '@postmesh/contracts';

/** One line of a file, without its line break. */
export interface FileLine {
  text: string;
  /** the reason why the line is unreadable; its text is for display only then */
  problem?: string;
}

export interface FileLimits {
  bytes: number;
  /** a longer line is an error; the rest of it is dropped */
  lineBytes: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
/** A byte that never occurs in UTF-8. */
const NO_CHARACTER = Buffer.from([0xff]);

const BOMS: readonly (readonly [encoding: string, bytes: Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
const LONGEST_BOM = 3;

/**
 * Splits a file into lines. A line that is too long is cut a little behind the limit, so that a file without line
 * breaks needs no memory.
 * @param charset of its content type, any label of the Encoding Standard; a byte order mark takes precedence, the
 * default is UTF-8
 * @throws ApiError 400 for an unknown encoding, 413 behind the limit of bytes
 */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  limits: FileLimits,
  charset = 'utf-8',
): AsyncGenerator<FileLine[]> {
  const { encoding, parts } = await beginning(limited(stream, limits.bytes), encodingOf(charset));
  const isUtf16 = encoding.startsWith('utf-16');
  const read = lineReader(isUtf16 ? 'utf-8' : encoding, encoding, limits.lineBytes);
  // one byte for the carriage return, one to recognise a line that is too long
  const kept = limits.lineBytes + 2;
  let held: Buffer = NOTHING;
  for await (const part of isUtf16 ? inUtf8(parts, encoding) : parts) {
    const lines: FileLine[] = [];
    let from = 0;
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, from)) {
      lines.push(read(joined(held, part.subarray(from, end), kept)));
      held = NOTHING;
      from = end + 1;
    }
    held = joined(held, part.subarray(from), kept);
    if (lines.length > 0) yield lines;
  }
  if (held.length > 0) yield [read(held)];
}

function encodingOf(charset: string): string {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    throw new ApiError(400, `unknown encoding '${charset}', give one such as charset=windows-1252`);
  }
}

async function* limited(stream: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > most) throw ApiErrors.bodyTooLarge();
    yield part;
  }
}

/** The encoding of the byte order mark, and all parts after it. */
async function beginning(
  stream: AsyncGenerator<Buffer>,
  otherwise: string,
): Promise<{ encoding: string; parts: AsyncGenerator<Buffer> }> {
  let start = NOTHING;
  while (start.length < LONGEST_BOM) {
    const { value, done } = await stream.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const [encoding, bom] = BOMS.find(([, mark]) => start.subarray(0, mark.length).equals(mark)) ?? [
    otherwise,
    NOTHING,
  ];
  const parts = (async function* () {
    yield start.subarray(bom.length);
    yield* stream;
  })();
  return { encoding, parts };
}

/** Converts UTF-16 to UTF-8; an unpaired surrogate becomes an invalid byte. A character can contain a line feed byte. */
async function* inUtf8(parts: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf16le');
  let odd = NOTHING;
  for await (const part of parts) {
    const bytes = Buffer.concat([odd, part]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
    odd = bytes.subarray(whole.length);
    yield bytesOf(decoder.write(encoding === 'utf-16be' ? whole.swap16() : whole));
  }
  yield Buffer.concat([bytesOf(decoder.end()), odd.length > 0 ? NO_CHARACTER : NOTHING]);
}

function bytesOf(text: string): Buffer {
  if (!/\p{Surrogate}/u.test(text)) return Buffer.from(text);
  const pieces = text.split(/\p{Surrogate}/u).map((piece) => Buffer.from(piece));
  return Buffer.concat(pieces.flatMap((piece, at) => (at === 0 ? [piece] : [NO_CHARACTER, piece])));
}

const joined = (start: Buffer, rest: Buffer, kept: number): Buffer =>
  start.length === 0
    ? rest.subarray(0, kept)
    : Buffer.concat([start, rest.subarray(0, Math.max(0, kept - start.length))]);

/** @param name of the encoding of the file */
function lineReader(encoding: string, name: string, lineBytes: number): (bytes: Buffer) => FileLine {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const decode = (bytes: Buffer): string | undefined => {
    if (encoding === 'utf-8') return isUtf8(bytes) ? bytes.toString() : undefined;
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
  return (given) => {
    const bytes = given.at(-1) === CARRIAGE_RETURN ? given.subarray(0, -1) : given;
    // cut, perhaps within a character: the error is reported when the line is processed
    if (bytes.length > lineBytes) return { text: bytes.toString('latin1').replaceAll('\0', ' ') };
    const text = decode(bytes);
    if (text === undefined) return { text: shown(bytes), problem: notIn(name) };
    if (text.includes('\0')) return { text: shown(bytes), problem: 'the line holds a NUL character' };
    return { text };
  };
}

const shown = (bytes: Buffer): string => bytes.toString('latin1').replaceAll('\0', ' ');

const notIn = (encoding: string): string =>
  encoding === 'utf-8'
    ? 'the line is not in UTF-8: save the file in UTF-8, or send its encoding as in text/csv; charset=windows-1252'
    : `the line is not in ${encoding}`;
