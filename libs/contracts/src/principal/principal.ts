import { z } from 'zod';
import { AccountId, ApiKeyId, UserId } from '../ids.js';
import { MEMBER_ROLES } from './member-role.js';

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
  /** null for a top-level account */
  parent_account_id: z.uuid().nullable().default(null),
  /** messages that the account itself may send per calendar month (UTC); 0 = no cap (spec 1-platform §10.4 rule 6) */
  monthly_credit: z.number().int().default(0),
  /** messages that the account, its parent and all children of that parent may send together; null = no cap (rule 7) */
  credit_pool: z
    .object({
      /** the top-level account of the family */
      account_id: z.uuid(),
      monthly_credit: z.number().int().positive(),
    })
    .nullable()
    .default(null),
});
export type AccountFacts = z.infer<typeof AccountFacts>;

/** The authenticated caller, as established by the gateway (architecture §3.1). */
export const Principal = z.object({
  account_id: AccountId,
  /** of a member in the console: the id of the session */
  key_id: ApiKeyId,
  scopes: z.array(z.string()),
  account: AccountFacts,
  /** the member who is signed in to the console; missing from the principal of a key (decision 116) */
  member: z.object({ user_id: UserId, role: z.enum(MEMBER_ROLES) }).optional(),
  /**
   * The sub-account that the path names, where another service than accounts needs to know it: null when it is none of
   * the account. Missing from a gateway of the release before.
   */
  sub_account_id: AccountId.nullable().optional(),
});
export type Principal = z.infer<typeof Principal>;
