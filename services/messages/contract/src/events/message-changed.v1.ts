import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';
import { RemoteReply } from '@postmesh/delivery-worker-contract';

/** An outcome of the delivery of an accepted message, or an act of its recipient. */
export const MessageChange = z.enum([
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'opened',
  'clicked',
  'complained',
]);
export type MessageChange = z.infer<typeof MessageChange>;

/** A fetch of the pixel (`opened`) or of a link (`clicked`). */
const MessageFetch = z.object({
  /** clicks only: the original link */
  url: z.string().optional(),
  /** may be empty, and is cut where it is very long */
  user_agent: z.string(),
  /** IP address of the client, as seen by the gateway; empty when the connection was closed already */
  ip: z.string(),
  /** fetched by a machine: counters and status did not move (spec 2-messages §11 rule 8) */
  is_bot: z.boolean(),
});

/**
 * An accepted message has changed (its acceptance itself is `message-accepted`). The messages service publishes this in
 * the transaction that moves the status, the counters or the suppression list, so no consumer is ahead of `GET`
 * (decision 108). Stream and key are those of the acceptance: the events of one message come in their order, its
 * acceptance first. An outcome that is too late to move the status is published too.
 *
 * The id is that of the cause: of the `delivery-attempted` event, of the fetch, or one derived from the message.
 */
export const MessageChanged = defineEvent({
  type: 'message-changed',
  version: 1,
  stream: 'messages',
  data: z.object({
    change: MessageChange,
    /** when it happened, not when it was recorded */
    changed_at: z.string(),
    message_id: z.string(),
    send_request_id: z.string(),
    /** left out when it is no message of a campaign */
    campaign_id: z.string().optional(),
    domain: z.string(),
    sender: z.string(),
    /** of the author, of messages of campaigns only; left out when there is none */
    sender_name: z.string().optional(),
    recipient: z.string(),
    subject: z.string(),
    message_id_header: z.string(),
    /** no server was contacted: the message status is one of the sandbox ones */
    sandbox: z.boolean(),
    /** outcomes of an attempt only: time of the message's acceptance, or the nearest time that the worker had */
    accepted_at: z.string().optional(),
    /** outcomes only: the reply of the remote server; null without one, and where a report brought the bounce */
    reply: RemoteReply.nullable().optional(),
    /** deferred, bounced and failed only: the class of failure */
    classification: z.string().optional(),
    /** opened and clicked only */
    fetch: MessageFetch.optional(),
  }),
  key: (data) => data.send_request_id,
  examples: [
    {
      change: 'delivered',
      changed_at: '2026-01-05T08:00:02.000Z',
      message_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      send_request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      sender: 'news@shop.test',
      recipient: 'ann@mail.test',
      subject: 'Your order',
      message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
      sandbox: false,
      accepted_at: '2026-01-05T08:00:00.120Z',
      reply: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1', command: 'DATA' },
    },
    {
      change: 'clicked',
      changed_at: '2026-01-05T08:31:00.500Z',
      message_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      send_request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      sender: 'news@shop.test',
      recipient: 'ann@mail.test',
      subject: 'Your order',
      message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
      sandbox: false,
      fetch: {
        url: 'https://shop.test/o/17',
        user_agent: 'Mozilla/5.0',
        ip: '198.51.100.7',
        is_bot: false,
      },
    },
  ],
});
