import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** The dispatcher made an attempt of a webhook delivery; the webhooks service updates the counters. */
export const WebhookDeliveryAttempted = defineEvent({
  type: 'webhook-delivery-attempted',
  version: 1,
  stream: 'webhook-deliveries',
  data: z.object({
    delivery_id: z.string(),
    webhook_id: z.string(),
    /** `webhook_id` is the id of a route; left out for webhooks */
    target: z.literal('route').optional(),
    attempt: z.number().int(),
    success: z.boolean(),
    /** HTTP status; null without a response */
    status: z.number().int().nullable(),
    reason: z.string().nullable(),
    attempted_at: z.string(),
    /** null: succeeded or given up */
    next_attempt_at: z.string().nullable(),
  }),
  key: (data) => data.webhook_id,
  examples: [
    {
      delivery_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a05',
      webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
      attempt: 1,
      success: true,
      status: 200,
      reason: null,
      attempted_at: '2026-01-05T08:00:02.100Z',
      next_attempt_at: null,
    },
  ],
});
