import { z } from 'zod';
import { CONSENTS, FOREIGN_ROWS } from '@postmesh/importers';
import { ATTRIBUTE_TYPES } from '../attributes/attribute.rules.js';

export const ContactBatchBody = z.object({
  ...FOREIGN_ROWS,
  confirmed: z.boolean().nullish().meta({
    description: 'The contacts of a file that says nothing of consent did agree. Others are disabled.',
  }),
  without_attributes: z.boolean().nullish(),
  list_id: z.uuid().nullish().meta({ description: 'A list for all contacts who agreed.' }),
});
export type ContactBatchBody = z.infer<typeof ContactBatchBody>;

const count = z.int().min(0);
const COUNTS = Object.fromEntries(CONSENTS.map((consent) => [consent, count])) as Record<
  (typeof CONSENTS)[number],
  typeof count
>;

export const ContactBatch = z
  .object({
    object: z.literal('contact_batch'),
    forms: z.array(z.string()).meta({
      description: 'The file that this is; several: name one of them, nothing is done yet.',
    }),
    may_be_confirmed: z.boolean().meta({ description: 'The file says nothing of consent.' }),
    ...{ created: count, updated: count, unchanged: count, rejected: count },
    repeated: count.meta({ description: 'Rows whose address an earlier one has.' }),
    stopped: count.meta({ description: 'Contacts who could be written to, and no longer can.' }),
    consents: z.object(COUNTS).meta({ description: 'The rows by their consent.' }),
    lists: z.array(
      z.object({ name: z.string(), contacts: count.meta({ description: 'Those that are put on it.' }) }),
    ),
    attributes: z.array(
      z.object({ key: z.string(), type: z.enum(ATTRIBUTE_TYPES), is_defined: z.boolean() }),
    ),
    errors: z
      .array(z.object({ position: z.int(), email: z.string(), reason: z.string() }))
      .meta({ description: 'The rejected rows, counted from 0.' }),
  })
  .meta({ id: 'ContactBatch', description: 'The effect of a part of an import.' });
export type ContactBatch = z.infer<typeof ContactBatch>;
