/** A number with the digits of its JSON text. `JSON.stringify` writes them unchanged. */
export interface RawNumber {
  readonly rawJSON: string;
}

declare global {
  // ECMAScript 2026; the configured TypeScript library does not have it yet
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
    // oxlint-disable-next-line typescript/no-explicit-any -- as the one without a context
    parse(text: string, reviver: Reviver): any;
  }
}

/** @param context `source`: the text of a number, a string, a boolean or null */
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/** Matches texts that may hold a number that a double writes with other digits; strings can match, too. */
const MAY_LOSE_DIGITS = /[:,[]\s*-?(?:\d[\d.]{15}|\d+(?:\.\d*)?[eE]|\d+\.\d*0|0\.0{6}|0[\s,}\]])/;
// Deeper values are rejected when their fields are read.
const MAX_DEPTH = 200;

const exactNumber: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && String(value) !== source
    ? JSON.rawJSON(source)
    : value;

/** Like `JSON.parse`; each number that a double writes with other digits is a `RawNumber`. @throws SyntaxError */
export const parseExactJson = (text: string): unknown =>
  MAY_LOSE_DIGITS.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);

/**
 * A parsed body whose numbers keep their digits in some fields: `1267890123456789012` and `1.10` are a `RawNumber` there.
 * @param body the result of `JSON.parse`
 * @param text parsed again only when these fields hold a number that may lose digits
 * @param fields names, on any level of the body
 */
export function withExactNumbers(body: unknown, text: () => string, fields: readonly string[]): unknown {
  if (!holdsNumber(body, fields, false, 0)) return body;
  const source = text();
  if (!MAY_LOSE_DIGITS.test(source)) return body;
  try {
    return exactOnlyIn(JSON.parse(source, exactNumber), fields);
  } catch (error) {
    // a reviver recurses on the stack; no schema accepts values of such depth
    if (error instanceof RangeError) return body;
    throw error;
  }
}

function holdsNumber(value: unknown, fields: readonly string[], isInside: boolean, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return isInside && typeof value === 'number';
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.some((item) => holdsNumber(item, fields, isInside, depth + 1));
  // every body passes here: without an array for each member
  return Object.keys(value).some((name) =>
    holdsNumber(
      (value as Record<string, unknown>)[name],
      fields,
      isInside || fields.includes(name),
      depth + 1,
    ),
  );
}

/** Converts the numbers of other fields to JavaScript numbers, in place. */
function exactOnlyIn(value: unknown, fields: readonly string[], depth = 0): unknown {
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  for (const [name, inner] of Object.entries(value)) {
    if (!fields.includes(name)) Reflect.set(value, name, exactOnlyIn(inner, fields, depth + 1));
  }
  return value;
}

/**
 * The double of a number.
 * @returns undefined when the double loses digits
 */
export function doubleOf(value: number | RawNumber): number | undefined {
  if (typeof value === 'number') return value;
  const double = Number(value.rawJSON);
  return sameDecimal(value.rawJSON, String(double)) ? double : undefined;
}

const sameDecimal = (a: string, b: string): boolean => decimalOf(a) === decimalOf(b);

/** Significant digits and the position of the point, so that `1.10`, `11e-1` and `1.1` are equal. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutZerosBehind(digits);
  if (significant === '') return whole === '' ? text : '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

function withoutZerosBehind(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
