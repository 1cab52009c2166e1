import { ApiError } from '@postmesh/contracts';

const NOT_CLOSED = 'a quote is not closed, or stands inside a field';
// A field of more lines than that is a quote that somebody forgot.
const MAX_RECORD_LINES = 100;

/**
 * The fields of one CSV record (RFC 4180); quoted ones may hold commas, line breaks and doubled quotes.
 * @throws ApiError 400
 */
export function csvFields(record: string): string[] {
  const fields = readFields(record);
  if (!Array.isArray(fields)) throw new ApiError(400, NOT_CLOSED);
  return fields;
}

/** @returns `open` when a field has begun with a quote that is not closed, `wrong` when a quote is where none can be */
function readFields(record: string): string[] | 'open' | 'wrong' {
  const fields: string[] = [];
  const field = /(?:\s*"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y;
  for (let separator = ','; separator === ',';) {
    const begin = field.lastIndex;
    const found = field.exec(record);
    if (!found) return OPENED.test(record.slice(begin)) ? 'open' : 'wrong';
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    separator = found[3] ?? '';
  }
  return fields;
}

const OPENED = /^\s*"(?:[^"]|"")*$/;

/** @returns how many lines from this one on are one record; 1 also when a quote is never closed */
export function recordLines(lines: readonly string[], at: number, maxChars: number): number {
  let record = lines[at] ?? '';
  if (!record.includes('"')) return 1;
  for (let count = 1; count <= MAX_RECORD_LINES && record.length <= maxChars; count += 1) {
    if (readFields(record) !== 'open') return count;
    const next = lines[at + count];
    if (next === undefined) return 1;
    record += `\n${next}`;
  }
  return 1;
}

/** One record of values, with quotes where they are needed. */
export const csvRecord = (values: readonly string[]): string =>
  values
    .map((value) => (/[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');

/**
 * The columns that the first line of a CSV file names.
 * @param columnOf what a name stands for; undefined for one that is not known
 * @param known names, for the error
 * @throws ApiError 400
 */
export function readCsvColumns(
  line: string,
  columnOf: (name: string) => string | undefined,
  known: readonly string[],
): string[] {
  const names = csvFields(line.replace(/^\ufeff/, '')).map((name) => name.trim().toLowerCase());
  const columns = names.map((name) => {
    const column = columnOf(name);
    if (column === undefined) {
      throw new ApiError(400, `unknown column '${name}': the first line names columns, ${known.join(', ')}`);
    }
    return column;
  });
  if (!columns.includes('email')) throw new ApiError(400, 'the first line names no column email');
  if (new Set(columns).size < columns.length) throw new ApiError(400, 'the first line names a column twice');
  return columns;
}
