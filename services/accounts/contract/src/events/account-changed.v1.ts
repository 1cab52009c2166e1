import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** An account was made, changed, suspended or deleted. */
export const AccountChanged = defineEvent({
  type: 'account-changed',
  version: 1,
  stream: 'accounts',
  data: z.object({
    account_id: z.string(),
    parent_account_id: z.string().nullable(),
    state: z.enum(['active', 'suspended', 'parent-suspended', 'blocked', 'deleted']),
    revision: z.number().int(),
  }),
  key: (data) => data.account_id,
  examples: [
    {
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      parent_account_id: null,
      state: 'active',
      revision: 1,
    },
  ],
});
