import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';

const Wait = z.object({
  kind: z.enum(['suspended', 'slowed', 'warming']).meta({
    description:
      '`suspended`: nothing is sent before `until`; `slowed`: only `per_second` messages a second; `warming`: beyond the budget of a new address.',
  }),
  by: z.string().meta({ description: 'The provider, or the mail server that replied.' }),
  destinations: z.array(z.string()).meta({ description: 'Some of the domains of the recipients.' }),
  messages: z
    .int()
    .meta({ description: 'Messages of the account that wait; from 10,000 on not all are counted.' }),
  share: z.number().nullable().meta({ description: 'The part of the queued mail of the account, 0 to 1.' }),
  since: Timestamp.nullable(),
  until: Timestamp.nullable(),
  per_second: z.number().nullable(),
  reason: z.string(),
});

export const SendingState = z
  .object({
    object: z.literal('sending_state'),
    suspended: z.boolean().meta({ description: 'The account may not send at the moment.' }),
    credits: z
      .array(z.object({ pool: z.boolean(), limit: z.int(), used: z.int(), until: Timestamp }))
      .meta({ description: 'This month: of the account, and of the pool that it shares.' }),
    waits: z.array(Wait),
    complete: z.boolean().meta({ description: 'False while the delivery service cannot be asked.' }),
  })
  .meta({ id: 'SendingState', description: 'What holds up the mail of an account.' });
export type SendingState = z.infer<typeof SendingState>;
