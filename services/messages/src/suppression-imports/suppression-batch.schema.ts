import { z } from 'zod';

/** The most entries of one request. */
const MAX_ENTRIES = 1_000;

const text = (description: string) => z.string().nullish().meta({ description });

/** Each entry is checked alone: a wrong one is rejected, and the others count. */
const Entry = z.strictObject({
  email: text('The address that gets no mail.'),
  domain: text('One of the domains of the account; empty or `*`: all of them.'),
  reason: text('At most 255 characters.'),
  expires_at: text('From then on it blocks nothing; without it, for good.'),
  created_at: text('When it was suppressed elsewhere; without it, now.'),
});

export const SuppressionBatchBody = z.object({
  data: z.array(Entry).min(1).max(MAX_ENTRIES),
});
export type SuppressionBatchBody = z.infer<typeof SuppressionBatchBody>;

/** `extended`: it was suppressed, and is for longer now, or protected. */
const OUTCOMES = ['created', 'extended', 'unchanged', 'rejected'] as const;
const Outcome = z.enum(OUTCOMES);
export type EntryOutcome = z.infer<typeof Outcome>;

export const SuppressionBatch = z
  .object({
    object: z.literal('suppression_batch'),
    done: z.int().meta({
      description: 'Entries that were worked on, from the first one; the others are for the next request.',
    }),
    ...{ created: z.int(), extended: z.int(), unchanged: z.int(), rejected: z.int() },
    errors: z
      .array(z.object({ position: z.int(), reason: z.string() }))
      .meta({ description: 'The rejected entries, counted from 0.' }),
  })
  .meta({ id: 'SuppressionBatch', description: 'The effect of a part of an import.' });
export type SuppressionBatch = z.infer<typeof SuppressionBatch>;
