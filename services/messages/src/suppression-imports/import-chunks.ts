import { ApiError, ApiErrors } from '@postmesh/contracts';
import { MAX_LINE_BYTES } from './import-lines.rules.js';

/** Limits of one import; more goes into a second one. */
export const MAX_IMPORT_BYTES = 200_000_000;
export const MAX_IMPORT_LINES = 1_000_000;

// One row of the table of chunks, and what a batch reads.
const MAX_CHUNK_LINES = 500;
const MAX_CHUNK_CHARS = 131_072;

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Cuts a stream into lines, without what ends them. Of a line that is too long a little more than the limit is kept,
 * so that a file without line breaks takes no memory.
 * @throws ApiError 413 behind the limit of bytes
 */
export async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let held: Buffer = NOTHING;
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > MAX_IMPORT_BYTES) throw ApiErrors.bodyTooLarge();
    const lines: string[] = [];
    let from = 0;
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, from)) {
      lines.push(textOf(joined(held, part.subarray(from, end))));
      held = NOTHING;
      from = end + 1;
    }
    held = joined(held, part.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (held.length > 0) yield [textOf(held)];
}

// One byte for the carriage return, one to tell that it is too long.
const KEPT_BYTES = MAX_LINE_BYTES + 2;

const joined = (start: Buffer, rest: Buffer): Buffer =>
  start.length === 0
    ? rest.subarray(0, KEPT_BYTES)
    : Buffer.concat([start, rest.subarray(0, Math.max(0, KEPT_BYTES - start.length))]);

/** Postgres keeps no NUL. */
const textOf = (bytes: Buffer): string =>
  bytes.toString('utf8').replace(/\r$/, '').replaceAll('\0', '\ufffd');

/**
 * Gathers lines into chunks.
 * @throws ApiError 413 for too many lines
 */
export async function* chunksOf(
  lines: AsyncIterable<string[]>,
): AsyncGenerator<{ first: number; lines: string[] }> {
  let first = 0;
  let chunk: string[] = [];
  let chars = 0;
  for await (const some of lines) {
    for (const line of some) {
      if (first + chunk.length === MAX_IMPORT_LINES) {
        throw new ApiError(413, `an import has at most ${MAX_IMPORT_LINES} lines`);
      }
      chunk.push(line);
      chars += line.length;
      if (chunk.length < MAX_CHUNK_LINES && chars < MAX_CHUNK_CHARS) continue;
      yield { first, lines: chunk };
      first += chunk.length;
      [chunk, chars] = [[], 0];
    }
  }
  if (chunk.length > 0) yield { first, lines: chunk };
}
