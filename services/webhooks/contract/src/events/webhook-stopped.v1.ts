import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** A webhook was disabled or deleted: its pending calls are dropped. */
export const WebhookStopped = defineEvent({
  type: 'webhook-stopped',
  version: 1,
  stream: 'webhook-deliveries',
  data: z.object({ webhook_id: z.string(), reason: z.enum(['deleted', 'disabled', 'too-many-errors']) }),
  key: (data) => data.webhook_id,
  examples: [{ webhook_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10', reason: 'deleted' }],
});
