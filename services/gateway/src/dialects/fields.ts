import { ApiError, shownName } from '@postmesh/contracts';

/** Part of the body of a request of ours. */
export type Fragment = Record<string, unknown>;

/** An error of one field of a request in a dialect. */
export class FieldError extends ApiError {
  /**
   * @param field its path: `personalizations[0].to`
   * @param kind of the problem, where a dialect has codes for it
   */
  constructor(
    readonly field: string,
    readonly problem: string,
    readonly kind: 'missing' | 'unknown' | 'invalid' = 'invalid',
  ) {
    super(400, `${field} ${problem}`);
  }
}

interface Supported {
  /** our field or what becomes of it, for the reference */
  readonly to: string;
  readonly required?: boolean;
  /** @throws FieldError */
  readonly read: (value: unknown, name: string) => Fragment;
  /** of an object or of the items of a list, for the reference */
  readonly fields?: FieldTable;
  readonly isList?: boolean;
}

interface Refused {
  /** why */
  readonly refused: string;
  /** values that ask for nothing, in words and as a check */
  readonly except?: { readonly text: string; readonly allows: (value: unknown) => boolean };
}

type Field = Supported | Refused;

/**
 * Every field that a request of a dialect may have. A name that ends with `*` is for all names that begin so. A field that
 * is not in the table is refused, too.
 */
export type FieldTable = Readonly<Record<string, Field>>;

/** A field that becomes one of ours, or of which the service gets the meaning in another way. */
export const supported = (to: string, read: Supported['read']): Supported => ({ to, read });
export const required = (field: Supported): Supported => ({ ...field, required: true });
export const refused = (why: string, except?: Refused['except']): Refused => ({
  refused: why,
  ...(except && { except }),
});
/** Any of these values asks for what is the case anyway. */
export const unless = (...values: readonly unknown[]): NonNullable<Refused['except']> => ({
  text: values.map((value) => `\`${JSON.stringify(value)}\``).join(', '),
  allows: (value) => values.includes(value),
});

/** An object with a table of its own. */
export const group = (to: string, fields: FieldTable, into: (part: Fragment) => Fragment): Supported => ({
  to,
  fields,
  read: (value, name) => into(translate(fields, value, name)),
});

/** A list of such objects. */
export const listOf = (
  to: string,
  fields: FieldTable,
  into: (parts: Fragment[], name: string) => Fragment,
): Supported => ({
  to,
  fields,
  isList: true,
  read: (value, name) => {
    if (!Array.isArray(value)) throw new FieldError(name, 'must be an array');
    const parts = value.map((item: unknown, at) => translate(fields, item, `${name}[${at}]`));
    return into(parts, name);
  },
});

/**
 * Translates an object by its table: the results of all fields in one object. An absent value and null are the same.
 * @param path of the object in the request; empty for the whole
 * @throws FieldError for an unknown or refused field, else for the first wrong one in the order of the table
 */
export function translate(table: FieldTable, given: unknown, path = ''): Fragment {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw path === '' ? new ApiError(400, 'invalid request body') : new FieldError(path, 'must be an object');
  }
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const values = new Map<string, [string, unknown][]>();
  for (const [name, value] of Object.entries(given)) {
    const key = keyOf(table, name);
    if (key === undefined) throw new FieldError(pathOf(shownName(name)), 'is not a known field', 'unknown');
    if (value !== null && value !== undefined)
      values.set(key, [...(values.get(key) ?? []), [pathOf(name), value]]);
  }
  const made: Fragment = {};
  for (const [key, field] of Object.entries(table)) {
    const found = values.get(key) ?? [];
    if (found.length === 0 && 'required' in field && field.required)
      throw new FieldError(pathOf(key), 'is required', 'missing');
    for (const [name, value] of found) merge(made, readField(field, value, name));
  }
  return made;
}

function keyOf(table: FieldTable, name: string): string | undefined {
  if (Object.hasOwn(table, name)) return name;
  return Object.keys(table).find((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)));
}

function readField(field: Field, value: unknown, name: string): Fragment {
  if ('read' in field) return field.read(value, name);
  if (field.except?.allows(value)) return {};
  throw new FieldError(name, `is not supported: ${field.refused}`);
}

/** Objects of options whose members come from several fields. */
const MERGED: ReadonlySet<string> = new Set(['tracking', 'schedule']);

/** Lists grow, options are put together, and a later value replaces an earlier one. */
export function merge(made: Fragment, part: Fragment): Fragment {
  for (const [name, value] of Object.entries(part)) {
    const before = made[name];
    if (Array.isArray(before) && Array.isArray(value)) made[name] = [...(before as unknown[]), ...value];
    else if (MERGED.has(name) && before) made[name] = { ...before, ...(value as object) };
    else made[name] = value;
  }
  return made;
}
