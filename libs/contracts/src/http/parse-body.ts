import { z } from 'zod';
import { ApiError, ApiErrors } from './api-error.js';
import { shownName } from './text-fields.js';
import { UUID_PATTERN } from '../ids.js';
import { didYouMean } from './closest.js';

export interface BodyRules {
  /** fields that a client may send back from a resource but never write (spec 1-platform §1.4) */
  readOnly?: readonly string[];
  /**
   * Fields of another operation, each with the text of the 400 for any value but null. They are checked first, and the
   * first one in this order is reported.
   */
  refused?: Readonly<Record<string, string>>;
  /** fields, on any level, whose numbers keep the digits of the JSON: `RawNumber` where a double has others */
  exactNumbersIn?: readonly string[];
}

/**
 * Parses a JSON body by a strict zod object and reports one problem, in the texts of spec 1-platform §1.4: the first unknown
 * field in the order of the body, else the first wrong field in the order of the schema, which is that of the table of
 * fields (spec 1-platform §1.4 rule 6, spec 3-marketing §0 rule 4).
 * @throws ApiError 400
 */
export function parseBody<S extends z.ZodObject>(
  schema: S,
  body: unknown,
  rules: BodyRules = {},
): z.infer<S> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw ApiErrors.invalidBody();
  const given = rules.refused === undefined ? body : withoutRefused(body, rules.refused);
  refuseUnknownFields(schema, given, rules);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ApiError(400, describe(firstIssue(Object.keys(schema.shape), parsed.error.issues), given));
}

function withoutRefused(body: object, refused: Readonly<Record<string, string>>): object {
  const given = new Map<string, unknown>(Object.entries(body));
  for (const [name, text] of Object.entries(refused)) {
    if ((given.get(name) ?? null) !== null) throw new ApiError(400, text);
    given.delete(name);
  }
  return Object.fromEntries(given);
}

function refuseUnknownFields(schema: z.ZodObject, body: object, rules: BodyRules): void {
  for (const name of Object.keys(body)) {
    if (Object.hasOwn(schema.shape, name)) continue;
    if (rules.readOnly?.includes(name)) throw new ApiError(400, `${name} is not writable`);
    throw new ApiError(
      400,
      `unknown field: ${shownName(name)}${didYouMean(name, Object.keys(schema.shape))}`,
    );
  }
}

function firstIssue(order: readonly string[], issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const rank = (issue: z.core.$ZodIssue) => {
    const at = order.indexOf(String(issue.path[0]));
    return at < 0 ? order.length : at;
  };
  return [...issues].sort((a, b) => rank(a) - rank(b))[0] as z.core.$ZodIssue;
}

/** `to.0.email` reads `to[0].email`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`))
    .join('');
}

const TYPE_NAMES: Record<string, string> = {
  string: 'string',
  number: 'number',
  int: 'integer',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  record: 'object',
};

function describe(issue: z.core.$ZodIssue, body: unknown): string {
  const name = fieldName(issue.path);
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(body, issue.path) === undefined
        ? `${name} is required`
        : `${name} must be ${article(TYPE_NAMES[issue.expected] ?? issue.expected)}`;
    case 'too_big':
      return `${name} must ${limitText('at most', issue.origin, Number(issue.maximum))}`;
    case 'too_small':
      return issue.origin === 'string' && Number(issue.minimum) === 1
        ? `${name} must not be empty`
        : `${name} must ${limitText('at least', issue.origin, Number(issue.minimum))}`;
    case 'invalid_value':
      return valueAt(body, issue.path) === undefined
        ? `${name} is required`
        : `${name} must be one of: ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `unknown field: ${name ? `${name}.` : ''}${shownName(issue.keys[0] ?? '')}`;
    case 'invalid_format':
      return `${name} is invalid${formatHint(issue)}`;
    case 'invalid_union':
      return valueAt(body, issue.path) === undefined ? `${name} is required` : `${name} is invalid`;
    case 'custom':
      return issue.message;
    default:
      return `${name} is invalid`;
  }
}

/** Examples of values of each format. */
const FORMATS: Record<string, string> = {
  uuid: 'a UUID such as 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
  email: 'an address such as ann@example.com',
  url: 'a URL such as https://example.com/',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
};

function formatHint({ format, pattern }: z.core.$ZodIssueInvalidStringFormat): string {
  const hint = FORMATS[pattern === String(UUID_PATTERN) ? 'uuid' : format];
  return hint === undefined ? '' : ` (${hint})`;
}

function limitText(bound: string, origin: string, limit: number): string {
  if (origin === 'string') return `be ${bound} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${limit} items`;
  return `be ${bound} ${limit}`;
}

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}
