import { z } from 'zod';
import { SOURCE_NAMES } from '@postmesh/importers';

/** The most rows of one request. */
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 200;

const cells = z.array(z.string()).max(MAX_COLUMNS);

export const SuppressionTranslationBody = z.object({
  service: z
    .enum(SOURCE_NAMES as [string, ...string[]])
    .meta({ description: 'The service that exported the rows.' }),
  form: z
    .string()
    .nullish()
    .meta({ description: 'Which of its files this is, where the columns fit several.' }),
  columns: cells.min(1),
  rows: z
    .array(cells)
    .min(1)
    .max(MAX_ROWS)
    .meta({ description: 'Their cells; an object in a cell is JSON.' }),
});
export type SuppressionTranslationBody = z.infer<typeof SuppressionTranslationBody>;

const position = z.int().meta({ description: 'The row, counted from 0.' });

export const SuppressionTranslation = z
  .object({
    object: z.literal('suppression_translation'),
    forms: z.array(z.string()).meta({
      description: 'The file that this is; several: name one of them, nothing is translated yet.',
    }),
    entries: z
      .array(z.object({ position, email: z.string(), reason: z.string(), created_at: z.string().optional() }))
      .meta({ description: 'Entries for `suppression-batches`.' }),
    errors: z
      .array(z.object({ position, reason: z.string() }))
      .meta({ description: 'The rows that are not taken, and why.' }),
  })
  .meta({ id: 'SuppressionTranslation', description: 'Suppressions of another service, in our form.' });
export type SuppressionTranslation = z.infer<typeof SuppressionTranslation>;
