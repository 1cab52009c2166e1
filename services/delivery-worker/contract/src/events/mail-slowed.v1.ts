import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** Mail of an account has waited long for a provider: its members are mailed, once a day at most. */
export const MailSlowed = defineEvent({
  type: 'mail-slowed',
  version: 1,
  stream: 'accounts',
  data: z.object({
    account_id: z.string(),
    /** most messages first, 20 at most */
    waits: z.array(
      z.object({
        /** the provider, or the mail server that replied */
        by: z.string(),
        /** some of the recipients' domains */
        destinations: z.array(z.string()),
        /** a larger number than 10,000 is not counted to its end */
        messages: z.number().int(),
        /** of the mail of the account that is queued, 0 to 1 */
        share: z.number(),
        since: z.string(),
        /** null: the provider takes few messages a second, and no end is known */
        until: z.string().nullable(),
        /** for people */
        reason: z.string(),
      }),
    ),
  }),
  key: (data) => data.account_id,
  examples: [
    {
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      waits: [
        {
          by: 'Google',
          destinations: ['gmail.com'],
          messages: 1204,
          share: 0.4,
          since: '2026-01-05T08:00:00.000Z',
          until: null,
          reason: 'Google takes 0.5 messages a second from us (421 4.7.28)',
        },
      ],
    },
  ],
});
