import { z } from 'zod';
import { isLongerThan, storableText, Uuid } from '@postmesh/contracts';

const MAX_GROUPS = 10;
const MAX_OF_GROUP = 10;
/** All groups together. */
const MAX_CONDITIONS = 30;
const MAX_TEXT = 255;
const MAX_DAYS = 3_650;

const text = storableText('value')
  .refine((value) => value !== '' && !isLongerThan(value, MAX_TEXT), {
    message: `value must have 1 to ${MAX_TEXT} characters`,
  })
  .meta({ minLength: 1, maxLength: MAX_TEXT });
const days = z.int().min(1).max(MAX_DAYS);

const ofAttribute = z
  .strictObject({
    kind: z.literal('attribute'),
    key: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
    is: z.enum(['equal', 'not_equal', 'contains', 'above', 'below', 'known', 'unknown']),
    value: z
      .union([text, z.number(), z.boolean()])
      .optional()
      .meta({ description: 'A date or a time is compared as text. Not for known and unknown.' }),
  })
  .refine(({ is, value }) => (value === undefined) === (is === 'known' || is === 'unknown'), {
    message: 'value is for every comparison but known and unknown',
  })
  .refine(({ is, value }) => is !== 'contains' || typeof value === 'string', {
    message: 'contains needs a text',
  })
  .refine(({ is, value }) => (is !== 'above' && is !== 'below') || typeof value !== 'boolean', {
    message: 'above and below need a number, a date or a time',
  });

const ofField = z.strictObject({
  kind: z.literal('field'),
  field: z.enum(['email', 'first_name', 'last_name']),
  is: z.enum(['equal', 'not_equal', 'contains', 'ends_with']),
  value: text,
});

const ofList = z.strictObject({
  kind: z.literal('list'),
  list_id: Uuid,
  member: z.boolean().meta({ description: 'Whether the contact is confirmed on the list.' }),
});

const ofEngagement = z.strictObject({
  kind: z.literal('engagement'),
  action: z.enum(['opened', 'clicked']),
  days: days.nullable().meta({ description: 'Within so many days; null: ever.' }),
  happened: z.boolean(),
});

const ofAge = z.strictObject({
  kind: z.literal('created'),
  days,
  within: z.boolean().meta({ description: 'false: the contact is older.' }),
});

const SegmentCondition = z
  .discriminatedUnion('kind', [ofAttribute, ofField, ofList, ofEngagement, ofAge])
  .meta({ id: 'SegmentCondition', description: 'One property of a contact.' });
export type SegmentCondition = z.infer<typeof SegmentCondition>;

const match = z.enum(['all', 'any']);

/** Two levels, so that every filter can be shown as rows of a form and its cost is bounded (decision 162). */
export const SegmentFilter = z
  .strictObject({
    match,
    groups: z
      .array(
        z.strictObject({
          match,
          conditions: z.array(SegmentCondition).min(1).max(MAX_OF_GROUP),
        }),
      )
      .min(1)
      .max(MAX_GROUPS),
  })
  .refine((filter) => conditionsOf(filter) <= MAX_CONDITIONS, {
    message: `a filter has at most ${MAX_CONDITIONS} conditions`,
  })
  .meta({
    id: 'SegmentFilter',
    description: `Groups of conditions, ${MAX_CONDITIONS} conditions at most; all or any of each have to match.`,
  });
export type SegmentFilter = z.infer<typeof SegmentFilter>;

/** The number of conditions of all groups. */
export const conditionsOf = ({ groups }: { groups: readonly { conditions: readonly unknown[] }[] }): number =>
  groups.reduce((sum, { conditions }) => sum + conditions.length, 0);

/** The lists that a filter names. */
export const listsOf = ({ groups }: SegmentFilter): string[] => [
  ...new Set(
    groups.flatMap(({ conditions }) => conditions.flatMap((one) => (one.kind === 'list' ? one.list_id : []))),
  ),
];
