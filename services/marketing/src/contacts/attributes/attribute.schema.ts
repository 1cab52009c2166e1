import { z } from 'zod';
import { ATTRIBUTE_KEY, ATTRIBUTE_TYPES, RESERVED_KEYS } from './attribute.rules.js';

export const AttributeDefinitionBody = z.object({
  key: z
    .string()
    .refine((key) => ATTRIBUTE_KEY.test(key), {
      message: 'key must begin with one of a to z, and have up to 64 of a to z, 0 to 9 and _',
    })
    .refine((key) => !RESERVED_KEYS.includes(key), {
      message: `key must not be one of: ${RESERVED_KEYS.join(', ')}`,
    }),
  type: z.enum(ATTRIBUTE_TYPES),
});
export type AttributeDefinitionBody = z.infer<typeof AttributeDefinitionBody>;

export const AttributeResource = z
  .object({ key: z.string(), type: z.enum(ATTRIBUTE_TYPES) })
  .meta({ id: 'ContactAttribute', example: { key: 'city', type: 'string' } });
export type AttributeResource = z.infer<typeof AttributeResource>;

export const AttributeList = z
  .object({ data: z.array(AttributeResource) })
  .meta({ id: 'ContactAttributeList' });
