import { ApiError, ApiErrors } from '@postmesh/contracts';

/** How much one import may be; more goes into a second one. */
export interface LineLimits {
  bytes: number;
  lines: number;
  /** a longer line is an error; what is beyond is not kept */
  lineBytes: number;
  /** lines of a chunk: about what one transaction works off */
  chunkLines: number;
}

/** Lines of an import that follow each other. */
export interface LineChunk {
  /** number of the first one among all lines with data, from 0 */
  first: number;
  lines: readonly string[];
}

// One row of the table of chunks, and what a batch reads.
const MAX_CHUNK_CHARS = 131_072;

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Cuts a stream into lines, without what ends them. Of a line that is too long a little more than the limit is kept,
 * so that a file without line breaks takes no memory.
 * @throws ApiError 413 behind the limit of bytes
 */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  limits: Pick<LineLimits, 'bytes' | 'lineBytes'>,
): AsyncGenerator<string[]> {
  // One byte for the carriage return, one to tell that it is too long.
  const kept = limits.lineBytes + 2;
  let held: Buffer = NOTHING;
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > limits.bytes) throw ApiErrors.bodyTooLarge();
    const lines: string[] = [];
    let from = 0;
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, from)) {
      lines.push(textOf(joined(held, part.subarray(from, end), kept)));
      held = NOTHING;
      from = end + 1;
    }
    held = joined(held, part.subarray(from), kept);
    if (lines.length > 0) yield lines;
  }
  if (held.length > 0) yield [textOf(held)];
}

const joined = (start: Buffer, rest: Buffer, kept: number): Buffer =>
  start.length === 0
    ? rest.subarray(0, kept)
    : Buffer.concat([start, rest.subarray(0, Math.max(0, kept - start.length))]);

/** Postgres keeps no NUL. */
const textOf = (bytes: Buffer): string =>
  bytes.toString('utf8').replace(/\r$/, '').replaceAll('\0', '\ufffd');

/**
 * Gathers lines into chunks. Where a quoted field goes over several lines they are in one chunk, up to twice the size.
 * @throws ApiError 413 for too many lines
 */
export async function* chunksOf(
  lines: AsyncIterable<string[]>,
  limits: Pick<LineLimits, 'lines' | 'chunkLines'>,
): AsyncGenerator<LineChunk> {
  let first = 0;
  let chunk: string[] = [];
  let chars = 0;
  let isQuoted = false;
  for await (const some of lines) {
    for (const line of some) {
      if (first + chunk.length === limits.lines) {
        throw new ApiError(413, `an import has at most ${limits.lines} lines`);
      }
      chunk.push(line);
      chars += line.length;
      isQuoted = isQuoted !== hasOddQuotes(line);
      const size = Math.max(chunk.length / limits.chunkLines, chars / MAX_CHUNK_CHARS);
      if (size < (isQuoted ? 2 : 1)) continue;
      yield { first, lines: chunk };
      first += chunk.length;
      [chunk, chars, isQuoted] = [[], 0, false];
    }
  }
  if (chunk.length > 0) yield { first, lines: chunk };
}

function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
