import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId, WebhookDeliveryRequested, type EventEnvelope } from '@postmesh/contracts';
import { Metrics } from '@postmesh/observability';
import { Outbox } from '@postmesh/outbox';
import { EVENT_TYPES } from '../webhook-events/webhook-events.table.js';
import { writeBody } from '../webhook-events/event-payloads.rules.js';
import type { Planned, PlannedCall } from './matching.rules.js';
import { PublishedReceptions } from './published-receptions.js';

/** Hands planned calls to the dispatcher, through the outbox, in the order they are planned. */
@Injectable()
export class CallRequests {
  private readonly requested;

  constructor(
    private readonly outbox: Outbox,
    private readonly receptions: PublishedReceptions,
    metrics: Metrics,
  ) {
    this.requested = metrics.counter(
      'postmesh_webhook_deliveries_requested_total',
      'Webhook deliveries requested of the dispatcher',
      ['event_type'],
    );
  }

  /** @param planned a bounded number: all of it is in memory until the commit @returns how many calls it made */
  async add(manager: EntityManager, planned: readonly Planned[]): Promise<number> {
    const isNew = await this.receptions.claim(
      manager,
      planned.flatMap(({ reception }) => reception ?? []),
    );
    const calls = planned.flatMap(({ call, reception }) => (!reception || isNew(reception) ? [call] : []));
    await this.outbox.add(manager, calls.map(requestOf));
    for (const { event } of calls) this.requested.inc({ event_type: EVENT_TYPES[event.flag] });
    return calls.length;
  }
}

/** A call of one webhook, with the id that every attempt of it carries. */
export function requestOf({ listener, event, trace }: PlannedCall): EventEnvelope {
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
