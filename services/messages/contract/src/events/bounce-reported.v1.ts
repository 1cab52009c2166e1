import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * A report says that a message, which the server had accepted, could not be delivered (spec 2-messages §15.4): its status
 * is now Bounced. A message that had bounced before publishes nothing. Published by the release before decision 108 only:
 * since then this is `message-changed`.
 */
export const BounceReported = defineEvent({
  type: 'bounce-reported',
  version: 1,
  stream: 'messages',
  data: z.object({
    message_id: z.string(),
    send_request_id: z.string(),
    /** left out when it is no message of a campaign */
    campaign_id: z.string().optional(),
    domain_id: z.string(),
    domain: z.string(),
    sender: z.string(),
    /** name of the author, only for messages of campaigns; left out when there is none */
    sender_name: z.string().optional(),
    recipient: z.string(),
    subject: z.string(),
    message_id_header: z.string(),
    classification: z.string(),
    /** enhanced code of the report, `5.1.1` */
    enhanced_status_code: z.string().optional(),
    /** the reply of the remote server, as quoted in the report */
    response: z.string().optional(),
    reported_at: z.string(),
  }),
  key: (data) => data.send_request_id,
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
      classification: 'InvalidRecipient',
      enhanced_status_code: '5.1.1',
      response: '550 5.1.1 no such user',
      reported_at: '2026-01-05T09:10:00.000Z',
    },
  ],
});
