import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** What became of a delivery after a step of the worker. */
export const DeliveryOutcome = z.enum(['delivered', 'deferred', 'bounced', 'failed', 'suppressed']);
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

/** What the remote server said; absent where nobody was asked (window over, suppressed). */
export const RemoteReply = z.object({
  /** 0 = our own words, no code was received */
  smtp_code: z.number().int(),
  enhanced_status_code: z.string().optional(),
  response: z.string().optional(),
  /** the command that was answered, without arguments */
  command: z.string().optional(),
  classification: z.string().optional(),
});
export type RemoteReply = z.infer<typeof RemoteReply>;

/**
 * One attempt ended, or the worker gave up. One type for every outcome, so that consumers take them in
 * large batches and an order of outcomes per destination is kept.
 */
export const DeliveryAttempted = defineEvent({
  type: 'delivery-attempted',
  version: 1,
  stream: 'deliveries',
  data: z.object({
    /** the message record */
    message_id: z.string(),
    send_request_id: z.string(),
    domain_id: z.string(),
    domain: z.string(),
    sender: z.string(),
    recipient: z.string(),
    subject: z.string(),
    message_id_header: z.string(),
    outcome: DeliveryOutcome,
    /** nobody was contacted: the message status is one of the sandbox ones */
    sandbox: z.boolean(),
    /** SMTP attempts made so far */
    attempt: z.number().int(),
    /** start of this attempt; null where none was made */
    started_at: z.string().nullable(),
    finished_at: z.string(),
    /** start of the very first attempt */
    first_attempt_at: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    reply: RemoteReply.nullable(),
    /** the final dot was sent and its answer was lost: the message may arrive twice */
    uncertain: z.boolean(),
    remote_host: z.string().nullable(),
    tls: z.boolean(),
    /** where it is going, sharded, so that one worker meets one provider */
    destination: z.string(),
  }),
  key: (data) => data.destination,
  examples: [
    {
      message_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      send_request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      sender: 'news@shop.test',
      recipient: 'ann@mail.test',
      subject: 'Your order',
      message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
      outcome: 'delivered',
      sandbox: false,
      attempt: 1,
      started_at: '2026-01-05T08:00:01.000Z',
      finished_at: '2026-01-05T08:00:02.000Z',
      first_attempt_at: '2026-01-05T08:00:01.000Z',
      next_attempt_at: null,
      reply: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1', command: 'DATA' },
      uncertain: false,
      remote_host: 'mx.mail.test',
      tls: true,
      destination: 'mail.test#3',
    },
  ],
});
