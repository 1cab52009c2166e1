import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** Most changes that one event carries: a few hundred kilobytes, and one statement of a consumer. */
export const MAX_SUPPRESSION_CHANGES = 500;

/** The cause: a client, the service after bounces, the recipient (complaint, unsubscribe), an operator's import. */
export const SuppressionSource = z.enum(['api', 'automatic', 'recipient', 'import']);
export type SuppressionSource = z.infer<typeof SuppressionSource>;

/** One row of the suppression list, as after the change or before its removal. */
export const SuppressionChange = z.object({
  suppression_id: z.string(),
  /** the sending domain to which it applies, normalised */
  domain: z.string(),
  /** normalised address */
  recipient: z.string(),
  /**
   * `created`: there was no row, or an expired one. `extended`: an existing row lasts longer or became
   * protected; no webhook is called (spec 1-platform §14.3 rule 4). `removed`: deleted before it expired.
   */
  kind: z.enum(['created', 'extended', 'removed']),
  reason: z.string(),
  /** the recipient's own decision */
  protected: z.boolean(),
  created_at: z.string(),
  /** end of the suppression; 9999-12-31T23:59:59Z when it is permanent */
  expires_at: z.string(),
  source: SuppressionSource,
  /** from one sequence, drawn under the lock of the row: the highest of one account, domain and recipient is the newest */
  revision: z.number().int(),
});
export type SuppressionChange = z.infer<typeof SuppressionChange>;

/** Rows of an account's suppression list changed (spec 1-platform §14). Rows that expire are not published. */
export const SuppressionsChanged = defineEvent({
  type: 'suppressions-changed',
  version: 1,
  stream: 'suppressions',
  data: z.object({
    account_id: z.string(),
    changes: z.array(SuppressionChange).min(1).max(MAX_SUPPRESSION_CHANGES),
  }),
  // all changes of an account stay in their order
  key: (data) => data.account_id,
  examples: [
    {
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      changes: [
        {
          suppression_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a0a',
          domain: 'shop.test',
          recipient: 'gone@mail.test',
          kind: 'created',
          reason: 'Too many hard bounces',
          protected: false,
          created_at: '2026-01-05T08:00:03.000Z',
          expires_at: '2026-02-04T08:00:03.000Z',
          source: 'automatic',
          revision: 17,
        },
      ],
    },
  ],
});
