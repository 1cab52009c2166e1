import { addressProblem, valueIn, type Rejected, type Table } from '../imports/file-table.rules';

/** Where a column goes: a field of the contact, an attribute of its own, or nowhere. */
export type Target = 'email' | 'first_name' | 'last_name' | 'skip' | `attribute:${string}`;

export const KNOWN: readonly (readonly [RegExp, Target])[] = [
  [/^e-?mail|address$/i, 'email'],
  [/^(first|given)[ _-]?name|^vorname$/i, 'first_name'],
  [/^(last|family|sur)[ _-]?name|^nachname$/i, 'last_name'],
];

export const attributeName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');

export interface Row {
  readonly line: number;
  readonly contact: {
    email: string;
    first_name?: string;
    last_name?: string;
    attributes?: Record<string, string | number | boolean>;
  };
}

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
  { rows, lines, rejected: unread }: Table,
  targets: readonly Target[],
  types: AttributeTypes,
  reasons: { noAddress: string; badAddress: string; repeated: string },
): { good: Row[]; rejected: Rejected[] } {
  const good: Row[] = [];
  const rejected = [...unread];
  const seen = new Set<string>();
  rows.forEach((values, index) => {
    const row = { line: lines[index] ?? 0, contact: contactOf(values, targets, types) };
    const { email } = row.contact;
    const key = email.toLowerCase();
    const reason = addressProblem(email, reasons) ?? (seen.has(key) ? reasons.repeated : undefined);
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
  const valueOf = (target: Target) => valueIn(values, targets, target);
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
