import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** A webhook matched an event: this body is to be posted to this URL. Bodies here are small by contract. */
export const WebhookCallRequested = defineEvent({
  type: 'webhook-call-requested',
  version: 1,
  stream: 'webhook-deliveries',
  data: z.object({
    call_id: z.string(),
    webhook_id: z.string(),
    url: z.string(),
    /** the signing secret, encrypted with the keys of POSTMESH_SECRET_KEYS */
    sealed_secret: z.string(),
    /** header `webhook-id`: the same on every retry */
    webhook_message_id: z.string(),
    /** public type, e.g. `message.delivered` */
    event_type: z.string(),
    /** the exact JSON text that is signed and posted */
    body: z.string(),
    due_at: z.string(),
  }),
  key: (data) => data.webhook_id,
  examples: [
    {
      call_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a05',
      webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
      url: 'https://shop.test/hooks',
      sealed_secret: 'v1.AAAA',
      webhook_message_id: 'msg_01980f3e5b7a7c11a2d40c5f9e6b8a01',
      event_type: 'message.delivered',
      body: '{"type":"message.delivered"}',
      due_at: '2026-01-05T08:00:02.000Z',
    },
  ],
});
