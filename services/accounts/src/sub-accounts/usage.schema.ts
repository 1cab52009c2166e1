import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';

const part = {
  reception_count: z
    .number()
    .int()
    .min(0)
    .meta({ description: 'Accepted outbound messages, one per recipient, sandbox not counted.' }),
  allocated_cost: z
    .number()
    .min(0)
    .meta({ description: 'Share of the pooled cost, two decimals. The parts sum to the total.' }),
};

const billingPeriod = z.object({
  start: Timestamp,
  end: Timestamp.meta({ description: 'The first moment after the period.' }),
});

export const SubAccountUsage = z
  .object({
    billing_period: billingPeriod.meta({ description: 'The current calendar month in UTC.' }),
    currency: z.string().meta({ description: 'Lower-case code.' }),
    allocation_method: z.literal('proportional'),
    allocation_note: z.string().meta({ description: 'For people: what an allocated cost is.' }),
    parent: z.object({ account_id: z.uuid(), ...part }),
    sub_accounts: z
      .array(z.object({ account_id: z.uuid(), name: z.string(), ...part }))
      .meta({ description: 'Every sub-account that is not deleted, oldest first.' }),
    removed_sub_accounts: z
      .object(part)
      .meta({ description: 'Sub-accounts that were deleted during the period, together.' }),
    total: z.object(part),
  })
  .meta({ id: 'SubAccountUsage', description: 'What an account and its sub-accounts used this month.' });
export type SubAccountUsage = z.infer<typeof SubAccountUsage>;
