import { defineEvent } from '@postmesh/contracts';
import { z } from 'zod';

// Events for the tests of this lib, which depends on no contract of a service.

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
  examples: [],
});

export const DomainChanged = defineEvent({
  type: 'domain-changed',
  version: 1,
  stream: 'domains',
  data: z.object({ domain_id: z.string() }),
  key: (data) => data.domain_id,
  examples: [{ domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00' }],
});
