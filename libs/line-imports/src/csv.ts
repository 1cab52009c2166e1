import { ApiError } from '@postmesh/contracts';

const NOT_CLOSED = 'a quote is not closed, or is inside a field';
// A quoted field of more lines is taken as a quote that is never closed.
export const MAX_RECORD_LINES = 100;

/** Delimiters of fields: programs in countries with a decimal comma write `;`. */
const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The delimiter that is most frequent in a header, outside of quotes. */
export function delimiterOf(header: string): Delimiter {
  const bare = header.replace(/"[^"]*"/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }));
  return counted.reduce((most, one) => (one.count > most.count ? one : most)).delimiter;
}

/** The delimiter of a first line `sep=;`, by which Excel marks a file; undefined for a header. */
export function delimiterMark(line: string): Delimiter | undefined {
  const mark = /^"?sep=(.)"?$/i.exec(line)?.[1];
  return DELIMITERS.find((delimiter) => delimiter === mark);
}

/**
 * The fields of one CSV record (RFC 4180); quoted fields may contain delimiters, line breaks and doubled quotes.
 * @throws ApiError 400
 */
export function csvFields(record: string, delimiter: Delimiter = ','): string[] {
  const fields = readFields(record, delimiter);
  if (!Array.isArray(fields)) throw new ApiError(400, NOT_CLOSED);
  return fields;
}

/** With the delimiter tab, a tab is no blank. */
const patternsOf = (delimiter: Delimiter) => {
  const blanks = delimiter === '\t' ? ' *' : '\\s*';
  return {
    field: new RegExp(`(?:${blanks}"((?:[^"]|"")*)"${blanks}|([^"${delimiter}]*))(${delimiter}|$)`, 'y'),
    opened: new RegExp(`^${blanks}"(?:[^"]|"")*$`),
  };
};
const PATTERNS = { ',': patternsOf(','), ';': patternsOf(';'), '\t': patternsOf('\t') };

/** @returns `open` for a field with an opening quote only, `wrong` for a quote at an invalid place */
function readFields(record: string, delimiter: Delimiter): string[] | 'open' | 'wrong' {
  const fields: string[] = [];
  const { field, opened } = PATTERNS[delimiter];
  field.lastIndex = 0;
  for (let separator: string = delimiter; separator === delimiter;) {
    const begin = field.lastIndex;
    const found = field.exec(record);
    if (!found) return opened.test(record.slice(begin)) ? 'open' : 'wrong';
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    separator = found[3] ?? '';
  }
  return fields;
}

/** @returns the number of lines of the record that begins here; 1 also for a quote that is never closed */
export function recordLines(
  lines: readonly string[],
  at: number,
  maxChars: number,
  delimiter: Delimiter = ',',
): number {
  let record = lines[at] ?? '';
  if (!record.includes('"')) return 1;
  for (let count = 1; count <= MAX_RECORD_LINES && record.length <= maxChars; count += 1) {
    if (readFields(record, delimiter) !== 'open') return count;
    const next = lines[at + count];
    if (next === undefined) return 1;
    record += `\n${next}`;
  }
  return 1;
}

/** One record of values, quoted where necessary. */
export const csvRecord = (values: readonly string[]): string =>
  values
    .map((value) => (/[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');

/** The same record with commas; an invalid record stays unchanged, and invalid. */
export function withCommas(record: string, delimiter: Delimiter): string {
  const fields = readFields(record, delimiter);
  return Array.isArray(fields) ? csvRecord(fields) : record;
}

/**
 * The columns named in the first line of a CSV file.
 * @param columnOf the column of a name; undefined for an unknown name
 * @param known the list of known names, for the error
 * @throws ApiError 400
 */
export function readCsvColumns(
  line: string,
  columnOf: (name: string) => string | undefined,
  known: (unknown: string) => string,
  delimiter: Delimiter = delimiterOf(line),
): string[] {
  const names = csvFields(line, delimiter).map((name) => name.trim().toLowerCase());
  const columns = names.map((name) => {
    const column = columnOf(name);
    if (column === undefined) throw new ApiError(400, `unknown column '${name}': ${known(name)}`);
    return column;
  });
  if (!columns.includes('email')) throw new ApiError(400, 'the first line names no column email');
  if (new Set(columns).size < columns.length) throw new ApiError(400, 'the first line names a column twice');
  return columns;
}
