import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** What a sandbox send is to end as (spec 2-messages §10). */
export const SandboxResult = z.enum(['deliver', 'bounce', 'defer', 'fail', 'suppress']);
export type SandboxResult = z.infer<typeof SandboxResult>;

/**
 * One request was stored: one message, one record per recipient. The key is the send request, so that what
 * happens to one request stays in order. Content stays in the blob store; here is only its reference.
 */
export const MessageAccepted = defineEvent({
  type: 'message-accepted',
  version: 1,
  stream: 'messages',
  data: z.object({
    send_request_id: z.string(),
    domain_id: z.string(),
    /** the sending domain: signs, counts, scopes webhooks */
    domain: z.string(),
    /** bare address of the author */
    sender: z.string(),
    /** of the author, of messages of campaigns only; left out when there is none */
    sender_name: z.string().optional(),
    subject: z.string(),
    /** with angle brackets; of the first recipient where each has its own */
    message_id_header: z.string(),
    content_id: z.string(),
    /** finished message, bytes, as far as known before signing */
    size: z.number().int(),
    /** bounces come back to this host */
    return_path_host: z.string(),
    accepted_at: z.string(),
    first_attempt: z.string().nullable(),
    expires: z.string().nullable(),
    /** simulated: nobody is contacted and this is what is said to have happened (spec 2-messages §10) */
    sandbox: SandboxResult.nullable(),
    /** of the message, for statistics; left out when there are none */
    tags: z.array(z.string()).optional(),
    /** sent by a campaign: goes out behind what somebody waits for; left out when false */
    campaign: z.literal(true).optional(),
    /** the campaign; also of what happens to its messages later, so that its results are found */
    campaign_id: z.string().optional(),
    /** a report: sent with the null envelope sender (RFC 3464 §2); left out when false */
    null_sender: z.literal(true).optional(),
    /** what is put into HTML parts when the message is composed; left out when neither is */
    tracking: z.object({ open: z.boolean(), click: z.boolean() }).optional(),
    recipients: z
      .array(
        z.object({
          id: z.string(),
          email: z.string(),
          /** where it is not the one of all recipients: rendered for this one */
          subject: z.string().optional(),
          /** with angle brackets; where each recipient has a message of its own */
          message_id_header: z.string().optional(),
          /**
           * A suppression kept the message from its recipient: it ended at acceptance and there is nothing to deliver
           * (spec 1-platform §14.3 rule 1). Left out when false; never of a sandbox send.
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
