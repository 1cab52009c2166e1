import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * A member of the account requests the missed deliveries of a webhook or a route (spec 2-messages §18 rule 13). It is on
 * the stream of the calls, so that it comes after the deliveries missed before.
 */
export const WebhookRecoveryRequested = defineEvent({
  type: 'webhook-recovery-requested',
  version: 1,
  stream: 'webhook-deliveries',
  data: z.object({
    replay_id: z.string(),
    webhook_id: z.string(),
    /** `webhook_id` is the id of a route; left out for webhooks */
    target: z.literal('route').optional(),
    /** earliest time of the events */
    since: z.string(),
  }),
  key: (data) => data.webhook_id,
  examples: [
    {
      replay_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a07',
      webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
      since: '2026-01-05T08:00:00.000Z',
    },
  ],
});
