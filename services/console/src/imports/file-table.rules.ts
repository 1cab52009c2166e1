/** A table of text. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** of each row, the line of the file where it begins, as a person counts it */
  readonly lines: readonly number[];
  readonly rejected: readonly Rejected[];
}

/** A row that is not imported. */
export interface Rejected {
  readonly line: number;
  readonly email: string;
  readonly reason: string;
}

/** CSV, one JSON object per line, or an array of them, as the first character says. */
export function readTable(text: string, badJson: string): Table {
  const [start] = /^\uFEFF?\s*[{[]/.exec(text) ?? [];
  if (start === undefined) return parseCsv(text);
  const objects = objectsIn(text);
  return objects
    ? tableOf(objects.map((fields, at) => ({ line: at + 1, fields })))
    : parseJsonLines(text, badJson);
}

/** The array of a JSON file, or the first one within its object, as responses of other services have it. */
function objectsIn(text: string): Record<string, unknown>[] | undefined {
  const whole = jsonOf(text.replace(/^\uFEFF/, ''));
  const inner = Object.values((whole ?? {}) as object);
  const lists = [whole, ...inner, ...inner.filter(isObject).flatMap(Object.values)].filter(Array.isArray);
  return lists.map((list: unknown[]) => list.filter(isObject)).find(({ length }) => length > 0);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const SEPARATORS = [',', ';', '\t'] as const;

/** CSV (RFC 4180), with commas, semicolons or tabs: the one that the first line has most of. */
function parseCsv(text: string): Table {
  const clean = text.replace(/^\uFEFF/, '');
  const first = clean.slice(0, Math.max(0, clean.search(/\r?\n|$/)));
  const separator = SEPARATORS.toSorted((a, b) => first.split(b).length - first.split(a).length)[0] ?? ',';
  const [head, ...rows] = readRows(clean, separator).filter(({ values }) =>
    values.some((value) => value.trim() !== ''),
  );
  return {
    columns: head?.values.map((name) => name.trim()) ?? [],
    rows: rows.map(({ values }) => values),
    lines: rows.map(({ line }) => line),
    rejected: [],
  };
}

function readRows(text: string, separator: string): { line: number; values: string[] }[] {
  const rows: { line: number; values: string[] }[] = [];
  let line = 1;
  let row: { line: number; values: string[] } = { line, values: [] };
  let value = '';
  let isQuoted = false;
  const endValue = () => {
    row.values.push(value);
    value = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\n' || (char === '\r' && text[at + 1] !== '\n')) line += 1;
    if (isQuoted) {
      if (char !== '"') value += char;
      else if (text[at + 1] === '"') {
        value += '"';
        at += 1;
      } else isQuoted = false;
    } else if (char === '"' && value === '') isQuoted = true;
    else if (char === separator) endValue();
    else if (char === '\n' || char === '\r') {
      if (char === '\r' && text[at + 1] === '\n') {
        at += 1;
        line += 1;
      }
      endValue();
      rows.push(row);
      row = { line, values: [] };
    } else value += char;
  }
  endValue();
  rows.push(row);
  return rows;
}

/** The columns are the names of all fields. */
function parseJsonLines(text: string, badJson: string): Table {
  const objects: { line: number; fields: Record<string, unknown> }[] = [];
  const rejected: Rejected[] = [];
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((given, index) => {
      if (given.trim() === '') return;
      const fields = jsonOf(given);
      if (isObject(fields)) objects.push({ line: index + 1, fields });
      else rejected.push({ line: index + 1, email: '', reason: badJson });
    });
  return { ...tableOf(objects), rejected };
}

function tableOf(objects: readonly { line: number; fields: Record<string, unknown> }[]): Table {
  const columns = [...new Set(objects.flatMap(({ fields }) => Object.keys(fields)))];
  return {
    columns,
    rows: objects.map(({ fields }) => columns.map((name) => cellOf(fields[name]))),
    lines: objects.map(({ line }) => line),
    rejected: [],
  };
}

const cellOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** The field that each column is by its name: a field once, and the others are left out. */
export function guessTargets<T extends string>(
  columns: readonly string[],
  known: readonly (readonly [RegExp, T])[],
): (T | 'skip')[] {
  const taken = new Set<string>();
  return columns.map((name) => {
    const target = known.find(([pattern, one]) => pattern.test(name) && !taken.has(one))?.[1] ?? 'skip';
    taken.add(target);
    return target;
  });
}

/** The value of a row in the column of a field; empty where no column is. */
export const valueIn = (values: readonly string[], targets: readonly string[], target: string): string =>
  (values[targets.indexOf(target)] ?? '').trim();

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Why an address cannot be imported, as far as the browser knows. */
export function addressProblem(
  email: string,
  reasons: { noAddress: string; badAddress: string },
): string | undefined {
  if (email === '') return reasons.noAddress;
  return ADDRESS.test(email) ? undefined : reasons.badAddress;
}
