import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * The pixel or a link of a message was fetched; one event per fetch, also of bots. Its id is that of the fetch. It has a
 * stream of its own, so that acceptance and delivery do not wait for many fetches (decision 33). Published by the release before
 * decision 108 only: since then this is `message-changed`.
 */
export const MessageTracked = defineEvent({
  type: 'message-tracked',
  version: 1,
  stream: 'tracking',
  data: z.object({
    message_id: z.string(),
    send_request_id: z.string(),
    /** left out when it is no message of a campaign */
    campaign_id: z.string().optional(),
    domain: z.string(),
    sender: z.string(),
    /** name of the author, only for messages of campaigns; left out when there is none */
    sender_name: z.string().optional(),
    recipient: z.string(),
    subject: z.string(),
    message_id_header: z.string(),
    kind: z.enum(['opened', 'clicked']),
    /** clicks only: the original link */
    url: z.string().optional(),
    /** may be empty; a very long one is cut */
    user_agent: z.string(),
    /** IP address of the client, as seen by the gateway; empty when the connection was closed already */
    ip: z.string(),
    /** fetched by a machine: counters and status did not move (spec 2-messages §11 rule 8) */
    is_bot: z.boolean(),
    occurred_at: z.string(),
    sandbox: z.boolean(),
  }),
  key: (data) => data.send_request_id,
  examples: [
    {
      message_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      send_request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      sender: 'news@shop.test',
      recipient: 'ann@mail.test',
      subject: 'Your order',
      message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
      kind: 'clicked',
      url: 'https://shop.test/o/17',
      user_agent: 'Mozilla/5.0',
      ip: '198.51.100.7',
      is_bot: false,
      occurred_at: '2026-01-05T08:31:00.500Z',
      sandbox: false,
    },
  ],
});
