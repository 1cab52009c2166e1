import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId, type EventEnvelope, type EventOf } from '@postmesh/contracts';
import { WebhookDeliveryRequested } from '@postmesh/webhooks-contract';
import { databaseNow } from '@postmesh/database';
import { Metrics } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { WEBHOOK_EVENTS } from '../webhook-events/webhook-events.table.js';
import { writeBody } from '../webhook-events/event-payloads.rules.js';
import type { PlannedCall } from './matching.rules.js';

/** Passes planned calls to the dispatcher, through the outbox, in their planned order. */
@Injectable()
export class CallRequests {
  private readonly requested;

  constructor(
    private readonly outbox: Outbox,
    metrics: Metrics,
  ) {
    this.requested = metrics.counter(
      'postmesh_webhook_deliveries_requested_total',
      'Webhook deliveries requested of the dispatcher',
      ['event_type'],
    );
  }

  /**
   * Requests the calls of webhooks.
   * @param planned a bounded number, since all calls are in memory until the commit
   */
  add(manager: EntityManager, planned: readonly PlannedCall[]): Promise<void> {
    return this.request(manager, planned.map(requestedCall));
  }

  /** The same for calls of any endpoint. */
  async request(manager: EntityManager, calls: Iterable<RequestedCall>): Promise<void> {
    const events: EventEnvelope[] = [];
    const dueAt = await databaseNow(manager);
    for (const call of calls) {
      events.push(requestOf(call, dueAt));
      if (!call.missed) this.requested.inc({ event_type: call.eventType });
    }
    await this.outbox.add(manager, events);
  }
}

/** One requested call of a webhook or a route. */
export interface RequestedCall {
  target: { id: string; url: string };
  /** public type */
  eventType: string;
  /** the JSON text to post; empty when the messages service writes it */
  body: string;
  /** set when the target is a route */
  route?: NonNullable<EventOf<typeof WebhookDeliveryRequested>['data']['route']>;
  /** the message that it is about; a route names it */
  messageId?: string | undefined;
  accountId: string;
  trace: string | null;
  /** the webhook is disabled: the call is kept, not made */
  missed?: boolean;
}

export const requestedCall = ({ listener, event, trace }: PlannedCall): RequestedCall => ({
  target: listener,
  eventType: WEBHOOK_EVENTS[event.flag].type,
  body: writeBody(event, listener.id),
  messageId: event.messageId,
  accountId: event.accountId,
  trace,
  missed: !listener.enabled,
});

function requestOf(
  { target, eventType, body, route, messageId, accountId, trace, missed }: RequestedCall,
  dueAt: Date,
): EventEnvelope {
  const id = newId();
  return WebhookDeliveryRequested.make(
    {
      delivery_id: id,
      webhook_id: target.id,
      host: new URL(target.url).host,
      webhook_message_id: `msg_${id.replaceAll('-', '')}`,
      event_type: eventType,
      body,
      ...(route ? { route } : {}),
      ...(messageId === undefined ? {} : { message_id: messageId }),
      due_at: dueAt.toISOString(),
      ...(missed ? { missed } : {}),
    },
    { account_id: accountId, trace },
  );
}
