import { z } from 'zod';
import { RateLimit } from '@postmesh/accounts-contract';
import { AccountId } from '@postmesh/contracts';
import { textField } from '../account/text-field.js';
import { websiteField } from '../account/website.rules.js';

const email = z.string().trim().toLowerCase().max(320).pipe(z.email());
const name = textField('name', { min: 1, max: 255, trimmed: true });

export const OperatorCreateAccountBody = z.object({
  name,
  website: websiteField(0).default(''),
  owner_email: email,
  owner_name: textField('owner_name', { max: 255, trimmed: true }).default(''),
});
export type OperatorCreateAccountBody = z.infer<typeof OperatorCreateAccountBody>;

/** Fields that are left out stay; null = the rates of the installation. */
export const OperatorUpdateAccountBody = z
  .object({
    name,
    platform_partner: z.boolean(),
    /** messages per calendar month, for a top-level account with all its sub-accounts; 0 = no cap */
    monthly_credit: z.number().int().min(0).max(1_000_000_000),
    rate_limits: z
      .strictObject({ general: RateLimit.nullable(), statistics: RateLimit.nullable() })
      .partial()
      .nullable(),
  })
  .partial();
export type OperatorUpdateAccountBody = z.infer<typeof OperatorUpdateAccountBody>;

export const OperatorReasonBody = z.object({
  reason: textField('reason', { min: 1, max: 500, trimmed: true }),
});
export type OperatorReasonBody = z.infer<typeof OperatorReasonBody>;

/** A member, by address. */
export const OperatorOwnerBody = z.object({ email });
export type OperatorOwnerBody = z.infer<typeof OperatorOwnerBody>;

/** A member, by address, and the account to begin in; the member's first one when left out. */
export const OperatorSignInLinkBody = z.object({ email, account_id: AccountId.optional() });
export type OperatorSignInLinkBody = z.infer<typeof OperatorSignInLinkBody>;
