import { leasedItem, type LeasedItem, type LeasedTable } from '@postmesh/leased-queue';

/** A webhook delivery that this dispatcher has claimed; its key is the host. */
export interface WebhookDelivery extends LeasedItem {
  readonly webhookId: string;
  readonly trace: string | null;
  /** header `webhook-id`: the same on every retry */
  readonly webhookMessageId: string;
  readonly eventType: string;
  /** the exact text that is signed and posted */
  readonly body: string;
}

export const WEBHOOK_DELIVERIES: LeasedTable<WebhookDelivery> = {
  name: 'webhook_deliveries',
  columns: {
    host: 'text',
    webhook_id: 'uuid',
    trace: 'text',
    webhook_message_id: 'text',
    event_type: 'text',
    body: 'text',
  },
  // rows of the release before have no other
  groupOf: 'coalesce(q.group_key, q.host)',
  // Made again under the same number: receivers tell repeats by the header `webhook-id` (spec 2-messages §18.10).
  countsAbandoned: false,
  toItem: (row) => ({
    ...leasedItem(row),
    webhookId: row['webhook_id'] as string,
    trace: row['trace'] as string | null,
    webhookMessageId: row['webhook_message_id'] as string,
    eventType: row['event_type'] as string,
    body: row['body'] as string,
  }),
};
