import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId, WebhookDeliveryRequested, type EventEnvelope } from '@postmesh/contracts';
import { Metrics } from '@postmesh/observability';
import { Outbox } from '@postmesh/outbox';
import { EVENT_TYPES } from '../webhook-events/webhook-events.table.js';
import { writeBody } from '../webhook-events/event-payloads.rules.js';
import type { PlannedCall } from './matching.rules.js';

// A batch of events can mean a hundred thousand calls; only this many are in memory at once.
const AT_ONCE = 500;

/** Hands planned calls to the dispatcher, through the outbox, in the order they are planned. */
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

  async add(manager: EntityManager, calls: Iterable<PlannedCall>): Promise<void> {
    let chunk: EventEnvelope[] = [];
    for (const call of calls) {
      chunk.push(requestOf(call));
      this.requested.inc({ event_type: EVENT_TYPES[call.event.flag] });
      if (chunk.length < AT_ONCE) continue;
      await this.outbox.add(manager, chunk);
      chunk = [];
    }
    await this.outbox.add(manager, chunk);
  }
}

function requestOf({ listener, event, trace }: PlannedCall): EventEnvelope {
  const id = newId();
  return WebhookDeliveryRequested.make(
    {
      delivery_id: id,
      webhook_id: listener.id,
      host: new URL(listener.url).host,
      webhook_message_id: `msg_${id.replaceAll('-', '')}`,
      event_type: EVENT_TYPES[event.flag],
      body: writeBody(event, listener.id),
      due_at: new Date().toISOString(),
    },
    { account_id: event.accountId, trace },
  );
}
