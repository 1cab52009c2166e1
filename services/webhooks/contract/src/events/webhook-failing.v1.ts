import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** Every call of a webhook or a route has failed for an hour: the members of its account are mailed (spec 2-messages §18 rule 8). */
export const WebhookFailing = defineEvent({
  type: 'webhook-failing',
  version: 1,
  stream: 'accounts',
  data: z.object({
    webhook_id: z.string(),
    /** `webhook_id` is the id of a route; left out for webhooks */
    target: z.literal('route').optional(),
    account_id: z.string(),
    name: z.string(),
    /** the first of the failures in a row */
    failing_since: z.string(),
    failures: z.number().int(),
    /** the last status or error, for people */
    last_failure: z.string().nullable(),
    /** the time at which it will be disabled if every call fails until then */
    disabled_from: z.string(),
  }),
  key: (data) => data.account_id,
  examples: [
    {
      webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      name: 'Shop events',
      failing_since: '2026-01-05T08:00:00.000Z',
      failures: 12,
      last_failure: 'answered 503',
      disabled_from: '2026-01-10T08:00:00.000Z',
    },
  ],
});
