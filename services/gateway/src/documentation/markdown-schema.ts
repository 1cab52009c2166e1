import type { JsonSchema } from '../openapi/open-api.js';

// Fields within fields: the document has fewer levels.
const MAX_DEPTH = 8;

type Schemas = Readonly<Record<string, JsonSchema>>;

/** A row of a table, a list in one line: a line break or a bar would end a cell. */
export const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => inOneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;

const inOneLine = (text: string): string =>
  text
    .replace(/^- /, '')
    .replace(/\s*\n- /g, '; ')
    .replace(/\s*\n\s*/g, ' ');

/** All fields of an object by their paths, with those of objects within it; a list has `[]`, any name `*`. */
export function fieldTable(schema: JsonSchema): string {
  const rows = fieldsOf(schema, '', 0);
  if (rows.length === 0) return `Type: ${typeOf(schema)}`;
  return ['| field | type | needed | about |', '| - | - | - | - |', ...rows].join('\n');
}

function fieldsOf(schema: JsonSchema, path: string, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  const required = listOf(schema['required']);
  const own = Object.entries(objectOf(schema['properties'])).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const line = row(`\`${at}\``, typeOf(field), required.includes(name) ? 'yes' : '', aboutOf(field));
    return [line, ...fieldsOf(field, at, depth + 1)];
  });
  return [
    ...own,
    ...variantsOf(schema).flatMap((variant) => fieldsOf(variant, path, depth + 1)),
    ...inner(schema['items'], `${path}[]`, depth),
    ...inner(schema['additionalProperties'], path === '' ? '*' : `${path}.*`, depth),
  ];
}

const inner = (given: unknown, path: string, depth: number): string[] =>
  isSchema(given) ? fieldsOf(given, path, depth + 1) : [];

/** In a few words: `string (date-time) or null`, `list of [Address](#address)`. */
export function typeOf(schema: JsonSchema): string {
  const reference = referenceIn(schema);
  if (reference !== undefined) return `[${reference}](#${reference.toLowerCase()})`;
  const variants = variantsOf(schema);
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].join(' or ');
  if ('const' in schema) return `\`${JSON.stringify(schema['const'])}\``;
  const values = listOf(schema['enum']);
  if (values.length > 0) return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  const types = [schema['type'] ?? 'any JSON'].flat().map(String);
  return types.map((type) => wordOf(type, schema)).join(' or ');
}

function wordOf(type: string, schema: JsonSchema): string {
  const { items, format, additionalProperties: others } = schema as Record<string, unknown>;
  if (type === 'array') return `list of ${isSchema(items) ? typeOf(items) : 'any JSON'}`;
  if (type === 'string' && typeof format === 'string') return `string (${format})`;
  if (type === 'object' && isSchema(others) && Object.keys(others).length > 0)
    return `object with values: ${typeOf(others)}`;
  return type;
}

const LIMITS: Readonly<Record<string, (value: unknown) => string>> = {
  minimum: (value) => `At least ${String(value)}.`,
  maximum: (value) => `At most ${String(value)}.`,
  minLength: (value) => `At least ${String(value)} characters.`,
  maxLength: (value) => `At most ${String(value)} characters.`,
  minItems: (value) => `At least ${String(value)} items.`,
  maxItems: (value) => `At most ${String(value)} items.`,
  minProperties: (value) => `At least ${String(value)} fields.`,
  maxProperties: (value) => `At most ${String(value)} fields.`,
  pattern: (value) => `Matches \`${String(value)}\`.`,
  default: (value) => `Default: \`${JSON.stringify(value)}\`.`,
};

/** The description of a field, with its limits. */
export const aboutOf = (schema: JsonSchema, description: unknown = schema['description']): string =>
  [description, limitsOf(schema)].filter(Boolean).join(' ');

/** The bounds of safe integers say nothing to a reader. */
const limitsOf = (schema: JsonSchema): string =>
  Object.entries(LIMITS)
    .filter(([name]) => name in schema && Math.abs(Number(schema[name])) !== Number.MAX_SAFE_INTEGER)
    .map(([name, say]) => say(schema[name]))
    .join(' ');

/**
 * The schemas that the given ones refer to, directly or by another one, each once.
 * @param schemas which are described in their own places
 */
export function namedSchemas(schemas: readonly JsonSchema[], components: Schemas): [string, JsonSchema][] {
  const found = new Map<string, JsonSchema>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isSchema(value)) return;
    const name = referenceIn(value);
    const schema = name === undefined ? undefined : components[name];
    if (name !== undefined && schema !== undefined && !found.has(name)) {
      found.set(name, schema);
      visit(schema);
    }
    Object.values(value).forEach(visit);
  };
  visit(schemas);
  return [...found];
}

const referenceIn = (schema: JsonSchema): string | undefined =>
  typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;

const variantsOf = (schema: JsonSchema): JsonSchema[] => listOf(schema['anyOf']).filter(isSchema);

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const objectOf = (value: unknown): Schemas => (isSchema(value) ? (value as Schemas) : {});
