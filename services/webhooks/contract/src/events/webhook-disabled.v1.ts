import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * The service itself disabled a webhook, and its account's members get a notice (spec 2-messages §18). It is separate
 * from `WebhookStopped`, which is on the stream of the calls: that stream is too busy for consumers of notices.
 */
export const WebhookDisabled = defineEvent({
  type: 'webhook-disabled',
  version: 1,
  stream: 'accounts',
  data: z.object({
    webhook_id: z.string(),
    /** `webhook_id` is the id of a route; left out for webhooks */
    target: z.literal('route').optional(),
    account_id: z.string(),
    name: z.string(),
    reason: z.enum(['too-many-errors']),
    /** the first of the failures in a row */
    failing_since: z.string().optional(),
    failures: z.number().int().optional(),
    /** the last status or error, for people */
    last_failure: z.string().nullable().optional(),
  }),
  key: (data) => data.account_id,
  examples: [
    {
      webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      name: 'Shop events',
      reason: 'too-many-errors',
      failing_since: '2026-01-01T08:00:00.000Z',
      failures: 1302,
      last_failure: 'answered 503',
    },
  ],
});
