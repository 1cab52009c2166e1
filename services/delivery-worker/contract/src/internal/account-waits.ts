import { z } from 'zod';

/**
 * `GET /internal/accounts/{account_id}/waits` of the delivery worker: mail of an account that a provider holds up.
 * `suspended`: nothing is sent before `until`; `slowed`: fewer messages a second than wait; `warming`: beyond the budget of a
 * new address.
 */
export const AccountWaits = z.object({
  waits: z.array(
    z.object({
      kind: z.enum(['suspended', 'slowed', 'warming']),
      /** the provider, or the host that replied */
      by: z.string(),
      /** some of the recipients' domains */
      destinations: z.array(z.string()),
      /** of the account; a larger number is not counted to its end */
      messages: z.number().int(),
      /** of the mail of the account that is queued, 0 to 1; null: said by a worker of the release before */
      share: z.number().nullable().default(null),
      since: z.iso.datetime().nullable(),
      until: z.iso.datetime().nullable(),
      per_second: z.number().nullable(),
      /** for people */
      reason: z.string(),
    }),
  ),
});
export type AccountWaits = z.infer<typeof AccountWaits>;
export type AccountWait = AccountWaits['waits'][number];
