import { ApiError } from '@postmesh/contracts';
import { MAX_RECORD_LINES, recordLines, withCommas, type Delimiter } from './csv.js';
import type { FileLimits, FileLine } from './file-lines.js';

/** The limits of one import; a larger file is split into several imports. */
export interface LineLimits extends FileLimits {
  lines: number;
  /** lines of a chunk, about the work of one transaction */
  chunkLines: number;
}

/** Consecutive lines of an import. A CSV record is delimited by commas and lies within one chunk. */
export interface LineChunk {
  /** number of the first line, counted from 0 among all lines with data */
  first: number;
  lines: readonly string[];
}

/** A chunk before it is stored; unreadable lines are empty in it. */
export interface NewChunk extends LineChunk {
  problems: readonly { line: number; text: string; reason: string }[];
}

// The size of one row of the chunk table, and of one read of a batch.
const MAX_CHUNK_CHARS = 131_072;

/**
 * Gathers lines into chunks.
 * @param delimiter of a CSV file; undefined: each line is a record
 * @throws ApiError 413 for too many lines
 */
export async function* chunksOf(
  lines: AsyncIterable<readonly FileLine[]>,
  delimiter: Delimiter | undefined,
  limits: Omit<LineLimits, 'bytes'>,
): AsyncGenerator<NewChunk> {
  // this many lines ahead are needed to find the end of a chunk's last record
  const window = limits.chunkLines + MAX_RECORD_LINES;
  const chars = MAX_CHUNK_CHARS + 2 * limits.lineBytes;
  let first = 0;
  let held: readonly FileLine[] = [];
  for await (const some of lines) {
    if (first + held.length + some.length > limits.lines) {
      throw new ApiError(413, `an import has at most ${limits.lines} lines`);
    }
    held = [...held, ...some];
    let [taken, left] = [0, charactersOf(held)];
    while (held.length - taken >= window || left >= chars) {
      const chunk = nextChunk(first, held.slice(taken, taken + window), delimiter, limits);
      yield chunk;
      first += chunk.lines.length;
      left -= charactersOf(held.slice(taken, taken + chunk.lines.length));
      taken += chunk.lines.length;
    }
    held = held.slice(taken);
  }
  while (held.length > 0) {
    const chunk = nextChunk(first, held, delimiter, limits);
    yield chunk;
    first += chunk.lines.length;
    held = held.slice(chunk.lines.length);
  }
}

const charactersOf = (lines: readonly FileLine[]): number =>
  lines.reduce((sum, { text }) => sum + text.length, 0);

function nextChunk(
  first: number,
  held: readonly FileLine[],
  delimiter: Delimiter | undefined,
  { chunkLines, lineBytes }: Omit<LineLimits, 'bytes'>,
): NewChunk {
  const texts = held.map(({ text }) => text);
  const lines: string[] = [];
  const problems: { line: number; text: string; reason: string }[] = [];
  for (let chars = 0; lines.length < held.length && lines.length < chunkLines && chars < MAX_CHUNK_CHARS;) {
    const at = lines.length;
    const count = delimiter === undefined ? 1 : recordLines(texts, at, lineBytes, delimiter);
    const record = held.slice(at, at + count);
    const wrong = record.findIndex(({ problem }) => problem !== undefined);
    if (wrong >= 0) {
      const { text, problem = '' } = record[wrong] as FileLine;
      problems.push({ line: first + at + wrong, text, reason: problem });
      lines.push(...record.map(() => ''));
    } else if (delimiter === undefined || delimiter === ',') lines.push(...record.map(({ text }) => text));
    else lines.push(...withCommas(record.map(({ text }) => text).join('\n'), delimiter).split('\n'));
    chars += charactersOf(record);
  }
  return { first, lines, problems };
}
