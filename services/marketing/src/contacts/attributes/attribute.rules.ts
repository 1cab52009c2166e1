import { ApiError, doubleOf, isLongerThan, readTime, shownName, wellFormed } from '@postmesh/contracts';

export const ATTRIBUTE_TYPES = ['string', 'number', 'boolean', 'date', 'timestamp'] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

/** Types by key, as defined by the account. */
export type AttributeTypes = ReadonlyMap<string, AttributeType>;

/** The attributes in a body: values to set, and keys to remove. */
export interface AttributeChange {
  set: Record<string, unknown>;
  remove: readonly string[];
}

const MAX_TEXT = 1_000;

/** Variables of every campaign (spec 3-marketing §5.4), which cannot be keys of attributes. */
export const RESERVED_KEYS: readonly string[] = [
  'email',
  'first_name',
  'last_name',
  'unsubscribe_url',
  'view_browser_url',
];
export const ATTRIBUTE_KEY = /^[a-z][a-z0-9_]{0,63}$/;

const FORMS: Readonly<Record<AttributeType, string>> = {
  string: 'string',
  number: 'finite number',
  boolean: 'boolean',
  date: 'YYYY-MM-DD date',
  timestamp: 'RFC 3339 timestamp',
};

/**
 * Values by their definitions (spec 3-marketing §1.2). `null` removes a key, also one without a definition.
 * @throws ApiError 400 for the first invalid one, in the order of the body
 */
export function readAttributes(
  types: AttributeTypes,
  given: Readonly<Record<string, unknown>> | null | undefined,
): AttributeChange {
  const set: [string, unknown][] = [];
  const remove: string[] = [];
  for (const [key, value] of Object.entries(given ?? {})) {
    if (value === null) remove.push(key);
    else set.push([key, readValue(types, key, value)]);
  }
  return { set: Object.fromEntries(set), remove };
}

/** The same for a create, where no attribute can be removed. @throws ApiError 400 */
export function readNewAttributes(
  types: AttributeTypes,
  given: Readonly<Record<string, unknown>> | null | undefined,
): AttributeChange {
  const removed = Object.entries(given ?? {}).find(([, value]) => value === null);
  if (removed) throw new ApiError(400, `attribute "${removed[0]}" must not be null`);
  return readAttributes(types, given);
}

function readValue(types: AttributeTypes, key: string, value: unknown): unknown {
  const type = types.get(key);
  if (type === undefined) throw new ApiError(400, `unknown attribute "${shownName(key)}"`);
  const canonical = READERS[type](type === 'number' ? exactNumber(key, value) : value);
  if (canonical === undefined) throw new ApiError(400, `attribute "${key}" must be a ${FORMS[type]}`);
  if (typeof canonical !== 'string') return canonical;
  if (isLongerThan(canonical, MAX_TEXT)) {
    throw new ApiError(400, `attribute "${key}" must be at most ${MAX_TEXT} characters`);
  }
  // Postgres cannot store this character
  if (canonical.includes('\u0000')) {
    throw new ApiError(400, `attribute "${key}" must not contain a NUL character`);
  }
  return wellFormed(canonical);
}

/** @throws ApiError 400 for a number that would be stored with other digits */
function exactNumber(key: string, value: unknown): unknown {
  if (!JSON.isRawJSON(value)) return value;
  const double = doubleOf(value);
  if (double !== undefined || !Number.isFinite(Number(value.rawJSON))) return double;
  throw new ApiError(
    400,
    `attribute "${key}" has more digits than a number keeps, about 15: define it as a string`,
  );
}

/** The canonical form of a value (a zero has no sign); undefined for an invalid form. Nothing is converted. */
const READERS: Readonly<Record<AttributeType, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === 'string' ? value : undefined),
  number: (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: (value) => (typeof value === 'string' && isDay(value) ? value : undefined),
  timestamp: (value) => (typeof value === 'string' ? utcTime(value) : undefined),
};

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && readTime(`${text}T00:00:00Z`) !== undefined;

/** In UTC; the fraction of the second keeps its precision, without trailing zeros. */
function utcTime(text: string): string | undefined {
  const time = readTime(text);
  const year = time?.getUTCFullYear() ?? -1;
  if (time === undefined || year < 0 || year > 9_999) return undefined;
  const fraction = /\.(\d+)/.exec(text)?.[1]?.replace(/0+$/, '') ?? '';
  return `${time.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };
/** JSON has no numbers with leading zeros. */
const LEADING_ZEROS = /^(-?)0+(?=\d)/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * The value in a cell of CSV or a field of a form, which are text; numbers and booleans are parsed from it, an invalid one
 * stays text and is refused as such.
 */
export function attributeOfText(type: AttributeType | undefined, cell: string): unknown {
  const text = cell.trim();
  if (type === 'number') return NUMBER.test(text) ? JSON.rawJSON(text.replace(LEADING_ZEROS, '$1')) : cell;
  if (type === 'boolean') return FLAGS[text.toLowerCase()] ?? cell;
  return type === 'string' ? cell : text;
}
