/** A table of text: the first row has the names of the columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SEPARATORS = [',', ';', '\t'] as const;

/** CSV (RFC 4180), with commas, semicolons or tabs: the one that the first line has most of. */
export function parseCsv(text: string): Table {
  const clean = text.replace(/^\uFEFF/, '');
  const first = clean.slice(0, Math.max(0, clean.search(/\r?\n|$/)));
  const separator = SEPARATORS.toSorted((a, b) => first.split(b).length - first.split(a).length)[0] ?? ',';
  const [columns = [], ...rows] = readRows(clean, separator).filter((row) =>
    row.some((value) => value.trim() !== ''),
  );
  return { columns: columns.map((name) => name.trim()), rows };
}

function readRows(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let value = '';
  let isQuoted = false;
  const endValue = () => {
    row.push(value);
    value = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (isQuoted) {
      if (char !== '"') value += char;
      else if (text[at + 1] === '"') {
        value += '"';
        at += 1;
      } else isQuoted = false;
    } else if (char === '"' && value === '') isQuoted = true;
    else if (char === separator) endValue();
    else if (char === '\n' || char === '\r') {
      if (char === '\r' && text[at + 1] === '\n') at += 1;
      endValue();
      rows.push(row);
      row = [];
    } else value += char;
  }
  endValue();
  rows.push(row);
  return rows;
}

/** Where a column goes: a field of the contact, an attribute of its own, or nowhere. */
export type Target = 'email' | 'first_name' | 'last_name' | 'skip' | `attribute:${string}`;

const KNOWN: readonly (readonly [RegExp, Target])[] = [
  [/^e-?mail|address$/i, 'email'],
  [/^(first|given)[ _-]?name|^vorname$/i, 'first_name'],
  [/^(last|family|sur)[ _-]?name|^nachname$/i, 'last_name'],
];

export const guessTargets = (columns: readonly string[]): Target[] => {
  const taken = new Set<Target>();
  return columns.map((name) => {
    const known = KNOWN.find(([pattern, target]) => pattern.test(name) && !taken.has(target))?.[1];
    const target: Target = known ?? 'skip';
    taken.add(target);
    return target;
  });
};

export const attributeName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');

export interface Row {
  /** line of the file as a person counts it: the row of names is line 1 */
  readonly line: number;
  readonly contact: {
    email: string;
    first_name?: string;
    last_name?: string;
    attributes?: Record<string, string | number | boolean>;
  };
}

export interface Rejected {
  readonly line: number;
  readonly email: string;
  readonly reason: string;
}

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Types of the attributes that the account has, by key. Others become texts. */
export type AttributeTypes = ReadonlyMap<string, string>;

/** The attributes that the chosen columns need and the account has not. */
export const newAttributes = (targets: readonly Target[], types: AttributeTypes): string[] => [
  ...new Set(targets.flatMap((target) => keyOf(target) ?? []).filter((key) => !types.has(key))),
];

const keyOf = (target: Target): string | undefined =>
  target.startsWith('attribute:') ? target.slice('attribute:'.length) : undefined;

/** The dry run: which rows would be sent, and which would not and why. */
export function mapRows(
  { rows }: Table,
  targets: readonly Target[],
  types: AttributeTypes,
  reasons: { noAddress: string; badAddress: string; repeated: string },
): { good: Row[]; rejected: Rejected[] } {
  const good: Row[] = [];
  const rejected: Rejected[] = [];
  const seen = new Set<string>();
  rows.forEach((values, index) => {
    const row = { line: index + 2, contact: contactOf(values, targets, types) };
    const { email } = row.contact;
    const key = email.toLowerCase();
    const reason =
      email === ''
        ? reasons.noAddress
        : !ADDRESS.test(email)
          ? reasons.badAddress
          : seen.has(key)
            ? reasons.repeated
            : undefined;
    seen.add(key);
    if (reason === undefined) good.push(row);
    else rejected.push({ line: row.line, email, reason });
  });
  return { good, rejected };
}

/** A text that is no value of its type stays a text, and the server says so. */
function valueOfType(text: string, type: string | undefined): string | number | boolean {
  if (type === 'number' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

function contactOf(
  values: readonly string[],
  targets: readonly Target[],
  types: AttributeTypes,
): Row['contact'] {
  const valueOf = (target: Target) => (values[targets.indexOf(target)] ?? '').trim();
  const attributes = targets.flatMap((target, index) => {
    const value = (values[index] ?? '').trim();
    const key = keyOf(target);
    return key === undefined || value === '' ? [] : [[key, valueOfType(value, types.get(key))] as const];
  });
  const [first, last] = [valueOf('first_name'), valueOf('last_name')];
  return {
    email: valueOf('email'),
    ...(first === '' ? {} : { first_name: first }),
    ...(last === '' ? {} : { last_name: last }),
    ...(attributes.length === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  };
}
