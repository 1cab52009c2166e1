import type { WebhookDeliveryRequested } from '@postmesh/webhooks-contract';
import { leasedItem, type LeasedItem, type LeasedTable } from '@postmesh/work';

type Requested = ReturnType<typeof WebhookDeliveryRequested.parse>['data'];

/** The kind of endpoint. Its URL and secret are queried from the webhooks service at each attempt. */
type EndpointTarget = 'webhook' | 'route';

/** The inbound message for a route; its body is read from the messages service. */
export interface RouteMessage {
  readonly message_id: string;
  readonly to: string;
  readonly occurred_at: string;
}

/** A delivery to a webhook or a route claimed by this dispatcher; its key is host and endpoint. */
export interface WebhookDelivery extends LeasedItem {
  readonly target: EndpointTarget;
  /** of the webhook or the route */
  readonly endpointId: string;
  readonly host: string;
  readonly trace: string | null;
  /** header `webhook-id`: the same on every retry */
  readonly webhookMessageId: string;
  readonly eventType: string;
  /** the exact text that is signed and posted; empty for a route */
  readonly body: string;
  readonly route: RouteMessage | null;
  /** the message that it is about */
  readonly messageId: string | null;
  readonly requestedAt: Date;
  /** the ended delivery that is made again */
  readonly replayOf: string | null;
}

/** Endpoints are claimed in round-robin order, and no endpoint waits for another one of its host. */
export const groupKeyOf = (host: string, endpointId: string): string => `${host} ${endpointId}`;

export const endpointOf = (groupKey: string): string => groupKey.slice(groupKey.lastIndexOf(' ') + 1);

/** The message that a requested call is about; null for other events, and in events of the previous release. */
export const messageIdOf = ({ message_id, route }: Requested): string | null =>
  message_id ?? route?.message_id ?? null;

export const WEBHOOK_DELIVERIES: LeasedTable<WebhookDelivery> = {
  name: 'webhook_deliveries',
  columns: {
    host: 'text',
    webhook_id: 'uuid',
    trace: 'text',
    webhook_message_id: 'text',
    event_type: 'text',
    body: 'text',
    target: 'text',
    route: 'text',
    message_id: 'uuid',
    requested_at: 'timestamptz',
    replay_of: 'uuid',
  },
  // rows of the previous release contain the host only
  groupOf: `case when position(' ' in q.group_key) > 0 then q.group_key else q.host || ' ' || q.webhook_id end`,
  // Made again under the same number: receivers recognise repeats by the header `webhook-id` (spec 2-messages §18.10).
  countsAbandoned: false,
  toItem: (row) => ({
    ...leasedItem(row),
    target: row['target'] === 'route' ? 'route' : 'webhook',
    endpointId: row['webhook_id'] as string,
    host: row['host'] as string,
    trace: row['trace'] as string | null,
    webhookMessageId: row['webhook_message_id'] as string,
    eventType: row['event_type'] as string,
    body: row['body'] as string,
    route: row['route'] === null ? null : (JSON.parse(row['route'] as string) as RouteMessage),
    messageId: row['message_id'] as string | null,
    requestedAt: (row['requested_at'] as Date | null) ?? row.first_attempt_at,
    replayOf: row['replay_of'] as string | null,
  }),
};

/** For the log. */
export const idsOf = ({ id, target, endpointId, accountId }: WebhookDelivery) => ({
  delivery_id: id,
  ...(target === 'route' ? { route_id: endpointId } : { webhook_id: endpointId }),
  account_id: accountId,
});
