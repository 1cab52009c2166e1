import { z } from 'zod';

const part = {
  reception_count: z.number().int().min(0).describe('accepted outbound messages, sandbox not counted'),
  allocated_cost: z.number().min(0).describe('two decimals; the parts sum to the total'),
};

const billingPeriod = z.object({
  start: z.iso.datetime(),
  end: z.iso.datetime().describe('no longer part of it'),
});

export const SubAccountUsage = z.object({
  billing_period: billingPeriod,
  currency: z.string().describe('lower-case code'),
  allocation_method: z.literal('proportional'),
  allocation_note: z.string(),
  parent: z.object({ account_id: z.uuid(), ...part }),
  sub_accounts: z
    .array(z.object({ account_id: z.uuid(), name: z.string(), ...part }))
    .describe('every sub-account that is not deleted, oldest first'),
  removed_sub_accounts: z.object(part).describe('those that were deleted during the period'),
  total: z.object(part),
});
export type SubAccountUsage = z.infer<typeof SubAccountUsage>;
