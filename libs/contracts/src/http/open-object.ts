import { z } from 'zod';

/**
 * For the `meta` of a schema of recommended values: other values are ignored or have an outcome of their own, and do not
 * make a request fail. The API document shows the schema, and the fuzzer expects no 400.
 */
export const LENIENT = { 'x-lenient': true };

/** The JSON Schema of the input, for the `meta` of fields with a parser of their own. */
export function inputSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return described;
}

/**
 * An object with any keys. zod silently leaves `__proto__` out of a record; here it is an unknown field, which the error
 * names (spec 1-platform §1.4).
 */
export function openObject<Value extends z.ZodType>(value: Value) {
  const additionalProperties = inputSchemaOf(value);
  return (
    z
      .unknown()
      .superRefine((given, { addIssue }) => {
        // a raw number is an object in JavaScript
        if (JSON.isRawJSON(given)) addIssue({ code: 'invalid_type', expected: 'record', input: 0 });
        else if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
          addIssue({ code: 'unrecognized_keys', keys: ['__proto__'], input: { ...given } });
      })
      .pipe(z.record(z.string(), value))
      // the API document shows the input
      .meta({ type: 'object', additionalProperties })
  );
}
