import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * A webhook matched an event: this body is to be posted to its URL. URL and secret are not published on a shared stream:
 * the dispatcher requests both at each attempt. The body is small by contract (ADR 18).
 */
export const WebhookDeliveryRequested = defineEvent({
  type: 'webhook-delivery-requested',
  version: 1,
  stream: 'webhook-deliveries',
  data: z.object({
    delivery_id: z.string(),
    webhook_id: z.string(),
    /** host and port of its URL, for concurrency limits */
    host: z.string(),
    /** header `webhook-id`: the same on every retry */
    webhook_message_id: z.string(),
    /** public type, e.g. `message.delivered` */
    event_type: z.string(),
    /** the exact JSON text that is signed and posted; empty for a route, but for the sample of a trigger */
    body: z.string(),
    /**
     * The target is a route, and `webhook_id` is its id. Its body may have tens of megabytes, so the dispatcher requests it
     * from the messages service at each attempt (RouteBodyRequest), unless `body` holds it. Left out for webhooks.
     */
    route: z.object({ message_id: z.string(), to: z.string(), occurred_at: z.string() }).optional(),
    /** the message that it is about, whose page lists the call; left out for other events and for routes, which name it */
    message_id: z.string().optional(),
    due_at: z.string(),
    /** the webhook is disabled: nothing is posted, and the delivery is kept for a recovery; left out otherwise */
    missed: z.literal(true).optional(),
  }),
  key: (data) => data.webhook_id,
  examples: [
    {
      delivery_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a05',
      webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
      host: 'shop.test',
      webhook_message_id: 'msg_01980f3e5b7a7c11a2d40c5f9e6b8a01',
      event_type: 'message.delivered',
      body: '{"type":"message.delivered"}',
      due_at: '2026-01-05T08:00:02.000Z',
    },
  ],
});
