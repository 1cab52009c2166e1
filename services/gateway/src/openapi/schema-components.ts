import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonSchema } from './open-api.js';

const LOCAL = '#/$defs/';
const SHARED = '#/components/schemas/';

// Tools know these formats; the regular expressions that zod adds to them have up to 300 characters.
const FORMATS_THAT_SAY_ALL = new Set(['uuid', 'date-time', 'email']);

/**
 * Converts zod schemas to JSON Schema (2020-12). A schema with `meta({ id })` becomes a component, which others
 * refer to. The input form is used, before defaults and transforms, since responses have neither.
 */
export class SchemaComponents {
  private readonly components = new Map<string, JsonSchema>();

  /** The schema itself, or a reference to the component that it is. */
  describe(schema: z.ZodType): JsonSchema {
    const { $schema: _dialect, $defs, ...described } = z.toJSONSchema(schema, { io: 'input' });
    for (const [id, component] of Object.entries($defs ?? {})) this.add(id, tidy(component) as JsonSchema);
    return tidy(described) as JsonSchema;
  }

  /**
   * Adds a request body as a component of the given name. Such a body is rejected when it has an unknown field.
   * @throws Error when the schema has a name of its own
   */
  addBody(name: string, schema: z.ZodObject): JsonSchema {
    const described = this.describe(schema);
    if ('$ref' in described) throw new Error(`${name} is the name of a body that has meta({ id }), too`);
    this.add(name, { ...described, additionalProperties: false });
    return { $ref: SHARED + name };
  }

  /** Every component by name, in alphabetical order. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @throws Error when two different schemas have one name */
  private add(name: string, schema: JsonSchema): void {
    const known = this.components.get(name);
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas are called ${name}`);
    this.components.set(name, schema);
  }
}

/** Makes references point at components, and leaves out what a reader does not need. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, tidyChild(key, child)]),
  );
  return withoutPattern(orNull(schema));
}

/** Under `properties` keys are names of fields; examples and constants are data. */
function tidyChild(key: string, child: unknown): unknown {
  if (key === '$ref' && typeof child === 'string') return child.replace(LOCAL, SHARED);
  if (key === 'properties' && typeof child === 'object' && child !== null) {
    return Object.fromEntries(Object.entries(child).map(([name, schema]) => [name, tidy(schema)]));
  }
  return ['const', 'enum', 'default', 'example', 'examples', 'required'].includes(key) ? child : tidy(child);
}

function withoutPattern(schema: Record<string, unknown>): Record<string, unknown> {
  const { pattern: _pattern, ...rest } = schema;
  return FORMATS_THAT_SAY_ALL.has(String(schema['format'])) ? rest : schema;
}

/** `anyOf [{type: x, …}, {type: null}]` reads better as `type: [x, null], …`, and means the same. */
function orNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema;
  const { type, enum: values, ...only } = anyOf[0];
  if (typeof type !== 'string' || 'const' in only) return schema;
  return { type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}), ...only, ...rest };
}
