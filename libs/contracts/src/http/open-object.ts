import { z } from 'zod';

/**
 * An object with any keys. zod leaves `__proto__` out of a record without a word; here it is an unknown field, which is
 * named (spec 1-platform §1.4).
 */
export function openObject<Value extends z.ZodType>(value: Value) {
  const { $schema: _dialect, ...additionalProperties } = z.toJSONSchema(value, { io: 'input' });
  return (
    z
      .unknown()
      .superRefine((given, { addIssue }) => {
        if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__'))
          addIssue({ code: 'unrecognized_keys', keys: ['__proto__'], input: { ...given } });
      })
      .pipe(z.record(z.string(), value))
      // the API document shows what goes in
      .meta({ type: 'object', additionalProperties })
  );
}
