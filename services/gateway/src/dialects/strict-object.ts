import type { JsonSchema } from '../openapi/open-api.js';

/** The JSON Schema of an object with exactly these fields. */
export const strictObject = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
