/** A cell that a spreadsheet would take for a formula begins with an apostrophe. */
const cell = (value: string): string => {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** RFC 4180. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

export interface CsvPage {
  readonly rows: readonly (readonly string[])[];
  /** of the page after it; undefined at the end */
  readonly next: string | undefined;
}

interface PagesToSave {
  readonly head: readonly string[];
  /** one page; it is asked for again after a failure that may pass */
  readonly fetchPage: (after: string | undefined) => Promise<CsvPage>;
  /** takes the text of a page: no row is kept here */
  readonly write: (text: string) => void;
  /** rows so far */
  readonly progress: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** Rows of one file: a spreadsheet opens no more. */
export const MOST_ROWS = 1_000_000;

/**
 * Writes all pages of a list.
 * @returns its rows, and whether the list is longer than a file may be
 * @throws what `fetchPage` throws; the reason of the signal
 */
export async function writePages({ head, fetchPage, write, progress, signal }: PagesToSave) {
  write(csvOf([head]));
  let rows = 0;
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    const page = await fetchPage(after);
    write(csvOf(page.rows));
    rows += page.rows.length;
    progress(rows);
    // a page that leads to itself would never end
    if (page.next === after) return { rows, isCut: false };
    after = page.next;
  } while (after !== undefined && rows < MOST_ROWS);
  return { rows, isCut: after !== undefined };
}
