import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * An inbound message was stored for one account and one of its domains: one record per envelope recipient. It triggers
 * `message.reception` and the account's routes (spec 2-messages §16).
 */
export const MessageReceived = defineEvent({
  type: 'message-received',
  version: 1,
  stream: 'messages',
  data: z.object({
    /** groups its records, like `send_request_id` of outbound messages */
    receipt_id: z.string(),
    domain_id: z.string(),
    /** domain of the recipients */
    domain: z.string(),
    /** bare address of the author */
    sender: z.string(),
    subject: z.string(),
    /** with angle brackets */
    message_id_header: z.string(),
    /** bytes as received */
    size: z.number().int(),
    received_at: z.string(),
    recipients: z
      .array(z.object({ id: z.string(), email: z.string() }))
      .min(1)
      .max(50),
  }),
  key: (data) => data.receipt_id,
  examples: [
    {
      receipt_id: '01980f4a-9c2e-7d00-b1c2-3d4e5f607182',
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      sender: 'zoe@mail.test',
      subject: 'Re: ticket 9',
      message_id_header: '<abc@mail.test>',
      size: 2411,
      received_at: '2026-01-05T11:00:00.250Z',
      recipients: [{ id: '01980f4a-9c2e-7d00-b1c2-3d4e5f607182', email: 'ticket-9@shop.test' }],
    },
  ],
});
