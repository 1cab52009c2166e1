import { z } from 'zod';

/**
 * In the `meta` of a schema: what clients should send, while other values do not make a request fail, as they are ignored or
 * have an outcome of their own. The API document shows it, and the fuzzer expects no 400.
 */
export const LENIENT = { 'x-lenient': true };

/** The JSON Schema of what goes in, for the `meta` of what is read by hand. */
export function inputSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return described;
}

/**
 * An object with any keys. zod leaves `__proto__` out of a record without a word; here it is an unknown field, which is
 * named (spec 1-platform §1.4).
 */
export function openObject<Value extends z.ZodType>(value: Value) {
  const additionalProperties = inputSchemaOf(value);
  return (
    z
      .unknown()
      .superRefine((given, { addIssue }) => {
        // a number in its own digits is an object of JavaScript's
        if (JSON.isRawJSON(given)) addIssue({ code: 'invalid_type', expected: 'record', input: 0 });
        else if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
          addIssue({ code: 'unrecognized_keys', keys: ['__proto__'], input: { ...given } });
      })
      .pipe(z.record(z.string(), value))
      // the API document shows what goes in
      .meta({ type: 'object', additionalProperties })
  );
}
