import { createReadStream } from 'node:fs';
import { ApiError, parseBoundedJson } from '@postmesh/contracts';
import {
  chunksOf,
  csvFields,
  delimiterMark,
  delimiterOf,
  readLines,
  recordAt,
  type FileLine,
} from '@postmesh/line-imports';
import { jsonRows } from './json-rows.js';

const MAX_LINE_BYTES = 1_048_576;
const LIMITS = {
  bytes: Number.POSITIVE_INFINITY,
  lines: Number.POSITIVE_INFINITY,
  lineBytes: MAX_LINE_BYTES,
};
const CHUNK_LINES = 500;

/** A row of a file, whatever its form. */
export interface Row {
  /** line in the file, from 1 */
  readonly line: number;
  /** the row as it is shown with an error */
  readonly text: string;
  /** why it cannot be read; it has no columns then */
  readonly problem?: string;
  /** the names of its columns */
  readonly columns: readonly string[];
  /** @param path name of a column, or of a field within a field; undefined when there is none */
  value(path: string): unknown;
}

export interface RowsFile {
  readonly path: string;
  /** of a CSV file; without it UTF-8, or the byte order mark's */
  readonly charset?: string;
}

/** @throws ApiError 400 */
export function rowsOf(file: RowsFile, rowsIn: readonly string[] = []): AsyncGenerator<Row> {
  if (/\.(?:nd)?jsonl?$/i.test(file.path)) return jsonFileRows(file, rowsIn);
  return csvRows(file);
}

async function* jsonFileRows({ path }: RowsFile, rowsIn: readonly string[]): AsyncGenerator<Row> {
  // one object a line has no array around it
  const alone = /\.(?:ndjson|jsonl)$/i.test(path);
  for await (const { line, value } of jsonRows(createReadStream(path), rowsIn, alone))
    yield jsonRow(line, value);
}

function jsonRow(line: number, value: Record<string, unknown>): Row {
  return {
    line,
    columns: Object.keys(value),
    get text() {
      return JSON.stringify(value).slice(0, 200);
    },
    value: (path) => fieldOf(value, path),
  };
}

/** The field at a path such as `merge_fields.FNAME`. */
export function fieldOf(value: unknown, path: string): unknown {
  let current = value;
  for (const name of path === '' ? [] : path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

async function* csvRows({ path, charset }: RowsFile): AsyncGenerator<Row> {
  const lines = readLines(createReadStream(path), LIMITS, charset);
  const { head, headLine, data } = await readHead(lines);
  const delimiter = (headLine > 1 ? delimiterMark(head.mark) : undefined) ?? delimiterOf(head.text);
  const columns = csvFields(head.text, delimiter).map((name) => name.trim());
  const places = new Map(columns.map((name, at) => [name.toLowerCase(), at]));
  for await (const chunk of chunksOf(data, delimiter, { ...LIMITS, chunkLines: CHUNK_LINES })) {
    const problems = new Map(chunk.problems.map(({ line, reason, text }) => [line, { reason, text }]));
    for (let line = chunk.first; line < chunk.first + chunk.lines.length;) {
      const { text, lines: count } = recordAt('csv', chunk, line, MAX_LINE_BYTES);
      const wrong = problems.get(line);
      const about = { line: line + headLine + 1, text: wrong?.text ?? text };
      if (wrong) yield { ...about, columns, problem: wrong.reason, value: () => undefined };
      else if (text.trim() !== '') yield csvRow(about, columns, places);
      line += count;
    }
  }
}

/** A row whose cells were read before. The cell of an object has it as JSON. */
export function cellsRow(columns: readonly string[], cells: readonly string[], line: number): Row {
  const value = (path: string): unknown => {
    const at = placeOf(columns, path);
    if (at >= 0) return cells[at] ?? '';
    const [name = '', ...rest] = path.split('.');
    const cell = rest.length > 0 ? cells[placeOf(columns, name)] : undefined;
    return cell === undefined ? undefined : fieldOf(objectIn(cell), rest.join('.'));
  };
  return { line, text: cells.join(','), columns, value };
}

const placeOf = (columns: readonly string[], name: string): number =>
  columns.findIndex((column) => column.toLowerCase() === name.toLowerCase());

function objectIn(cell: string): unknown {
  try {
    return parseBoundedJson(Buffer.from(cell));
  } catch {
    return undefined;
  }
}

function csvRow(
  about: Pick<Row, 'line' | 'text'>,
  columns: readonly string[],
  places: ReadonlyMap<string, number>,
): Row {
  let cells: string[];
  try {
    cells = csvFields(about.text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...about, columns, problem: error.message, value: () => undefined };
  }
  if (cells.length > columns.length) {
    return { ...about, columns, problem: 'more fields than columns', value: () => undefined };
  }
  const value = (path: string) => {
    const at = places.get(path.toLowerCase());
    return at === undefined ? undefined : (cells[at] ?? '');
  };
  return { ...about, columns, value };
}

interface Head {
  head: { text: string; mark: string };
  /** its line in the file, from 1 */
  headLine: number;
  data: AsyncIterable<readonly FileLine[]>;
}

/** The first line names the columns; a mark `sep=;` may come before it. @throws ApiError 400 */
async function readHead(lines: AsyncGenerator<FileLine[]>): Promise<Head> {
  let held: FileLine[] = [];
  const more = async () => {
    const { value, done } = await lines.next();
    held = [...held, ...(done ? [] : (value ?? []))];
    return !done;
  };
  while (held.length < 2 && (await more())) continue;
  const isMarked = held[0] !== undefined && delimiterMark(held[0].text) !== undefined;
  const at = isMarked ? 1 : 0;
  const head = held[at];
  if (!head) throw new ApiError(400, 'the file is empty');
  if (head.problem !== undefined) throw new ApiError(400, `line ${at + 1}: ${head.problem}`);
  const data = (async function* () {
    yield held.slice(at + 1);
    yield* lines;
  })();
  return { head: { text: head.text, mark: held[0]?.text ?? '' }, headLine: at + 1, data };
}
