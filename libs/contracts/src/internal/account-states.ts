import { z } from 'zod';
import { AccountChanged } from '../events/account-changed.v1.js';

/**
 * `GET /internal/account-states?after=<account_id>` of the accounts service: accounts that may not send, in the
 * order of their ids. Deleted ones are among them for as long as they can have anything unsent.
 */
export const AccountStatesPage = z.object({
  accounts: z.array(AccountChanged.schema),
  /** where the next page begins; null at the end */
  next: z.uuid().nullable(),
});
export type AccountStatesPage = z.infer<typeof AccountStatesPage>;
