import { z } from 'zod';
import { defineEvent, SandboxResult } from '@postmesh/contracts';

/**
 * One request was stored: one content, one message per recipient. The key is the send request, so that the events of
 * one request keep their order. The content is in the blob store; the event holds its id.
 */
export const MessageAccepted = defineEvent({
  type: 'message-accepted',
  version: 1,
  stream: 'messages',
  data: z.object({
    send_request_id: z.string(),
    domain_id: z.string(),
    /** the sending domain, for DKIM, statistics and the scope of webhooks */
    domain: z.string(),
    /** bare address of the author */
    sender: z.string(),
    /** name of the author, only for messages of campaigns; left out when there is none */
    sender_name: z.string().optional(),
    subject: z.string(),
    /** with angle brackets; that of the first recipient where each has its own */
    message_id_header: z.string(),
    content_id: z.string(),
    /** size of the MIME message before signing, bytes */
    size: z.number().int(),
    /** host of the envelope sender, which receives bounces */
    return_path_host: z.string(),
    accepted_at: z.string(),
    first_attempt: z.string().nullable(),
    expires: z.string().nullable(),
    /** not null for a simulated send: no server is contacted and this is the outcome (spec 2-messages §10) */
    sandbox: SandboxResult.nullable(),
    /** tags of the message, for statistics; left out when there are none */
    tags: z.array(z.string()).optional(),
    /** sent by a campaign: delivered after transactional messages; left out when false */
    campaign: z.literal(true).optional(),
    /** the campaign; later events of its messages have it, too, for the results of the campaign */
    campaign_id: z.string().optional(),
    /** a report: sent with the null envelope sender (RFC 3464 §2); left out when false */
    null_sender: z.literal(true).optional(),
    /** tracking to add to HTML parts when the message is composed; left out when both are off */
    tracking: z.object({ open: z.boolean(), click: z.boolean() }).optional(),
    recipients: z
      .array(
        z.object({
          id: z.string(),
          email: z.string(),
          /** rendered for this recipient, where it differs from the subject of all recipients */
          subject: z.string().optional(),
          /** with angle brackets; present where each recipient has a Message-ID of its own */
          message_id_header: z.string().optional(),
          /**
           * A suppression blocked the message: it ended at acceptance and is not delivered (spec 1-platform §14.3 rule 1).
           * Left out when false; never set for a sandbox send.
           */
          suppressed: z.literal(true).optional(),
        }),
      )
      .min(1)
      .max(100),
  }),
  key: (data) => data.send_request_id,
  examples: [
    {
      send_request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      sender: 'news@shop.test',
      subject: 'Your order',
      message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
      content_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02',
      size: 2048,
      return_path_host: 'rp.shop.test',
      accepted_at: '2026-01-05T08:00:00.120Z',
      first_attempt: null,
      expires: null,
      sandbox: null,
      tags: ['orders'],
      recipients: [{ id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01', email: 'ann@mail.test' }],
    },
  ],
});
