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

export const WebhookStopped = defineEvent({
  type: 'webhook-stopped',
  version: 1,
  stream: 'webhook-deliveries',
  data: z.object({ webhook_id: z.string(), reason: z.enum(['deleted', 'disabled', 'too-many-errors']) }),
  key: (data) => data.webhook_id,
  examples: [],
});
