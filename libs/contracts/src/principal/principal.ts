import { z } from 'zod';
import { AccountId, ApiKeyId } from '../ids.js';

/**
 * The facts about an account that every service needs with every request. They travel in the principal
 * because the gateway's copy is dropped at once when they change, so they are never stale.
 */
export const AccountFacts = z.object({
  status: z.enum(['active', 'suspended', 'parent-suspended']),
  platform_partner: z.boolean(),
  track_opens: z.boolean(),
  track_clicks: z.boolean(),
  reject_bad_recipients: z.boolean(),
  reject_mistyped_recipients: z.boolean(),
  message_metadata_retention: z.number().int(),
  message_data_retention: z.number().int(),
});
export type AccountFacts = z.infer<typeof AccountFacts>;

/** Who is calling, as the gateway found out (architecture §3.1). */
export const Principal = z.object({
  account_id: AccountId,
  key_id: ApiKeyId,
  scopes: z.array(z.string()),
  account: AccountFacts,
});
export type Principal = z.infer<typeof Principal>;
