import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/**
 * A recipient reported a message of a campaign as spam (spec 3-marketing §7.5); once per message. Published by the release
 * before decision 108 only: since then this is `message-changed`.
 */
export const ComplaintReported = defineEvent({
  type: 'complaint-reported',
  version: 1,
  stream: 'messages',
  data: z.object({
    message_id: z.string(),
    send_request_id: z.string(),
    campaign_id: z.string(),
    recipient: z.string(),
    /** when the report was received */
    reported_at: z.string(),
  }),
  key: (data) => data.send_request_id,
  examples: [
    {
      message_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
      send_request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a00',
      campaign_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8b00',
      recipient: 'ann@mail.test',
      reported_at: '2026-01-05T09:10:00.000Z',
    },
  ],
});
