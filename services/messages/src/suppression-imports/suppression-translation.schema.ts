import { z } from 'zod';
import { FOREIGN_ROWS } from '@postmesh/importers';

export const SuppressionTranslationBody = z.object(FOREIGN_ROWS);
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
