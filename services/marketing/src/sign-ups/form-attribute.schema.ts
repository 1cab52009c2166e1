import { z } from 'zod';
import { lineField } from '@postmesh/contracts';
import { ATTRIBUTE_KEY } from '../contacts/attributes/attribute.rules.js';

/** Most attributes that a form asks for. */
const MAX_FORM_ATTRIBUTES = 10;
/** Most choices of one. */
const MAX_OPTIONS = 50;
/** Most characters of an answer, as of a name. */
export const MAX_ANSWER = 255;
/** Attributes that people can fill in. */
export const ASKED_TYPES = ['string', 'number', 'boolean', 'date'] as const;

const line = (field: string, max: number) =>
  lineField(field, max).refine((text) => text !== '', { message: `${field} must not be empty` });
const areDifferent = (given: readonly string[]): boolean => new Set(given).size === given.length;

const EXAMPLE = { key: 'city', label: 'City', required: false, options: [] };

export const FormAttribute = z
  .object({
    key: z
      .string()
      .regex(ATTRIBUTE_KEY, 'key must be that of an attribute')
      .meta({ description: 'A defined attribute of the account, and no timestamp.' }),
    label: line('label', 100),
    required: z.boolean(),
    options: z
      .array(line('options', 100))
      .max(MAX_OPTIONS)
      .refine(areDifferent, { message: 'options must not be repeated' })
      .meta({ description: 'Choices of a text. Empty: people type.' }),
  })
  .meta({
    id: 'FormAttribute',
    description: 'A field of a form for an attribute of contacts.',
    example: EXAMPLE,
  });
export type FormAttribute = z.infer<typeof FormAttribute>;

export const FormAttributes = z
  .array(FormAttribute)
  .max(MAX_FORM_ATTRIBUTES)
  .refine((given) => areDifferent(given.map(({ key }) => key)), {
    message: 'attributes must not be repeated',
  });

/** With the type that the definition has now. */
export const ShownFormAttributes = z.array(
  FormAttribute.extend({
    type: z
      .enum(ASKED_TYPES)
      .nullable()
      .meta({ description: 'Null: the attribute was deleted, and the form does not ask for it.' }),
  }).meta({ id: 'ShownFormAttribute', example: { ...EXAMPLE, type: 'string' } }),
);
