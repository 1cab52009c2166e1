import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { outcomeOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** Delivered, deferred, bounced, failed, suppressed: one step of one recipient's delivery. */
@Injectable()
export class OnDeliveryAttempted implements Consumer<typeof DeliveryAttempted> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(DeliveryAttempted, 'webhooks.match-delivery-attempts')
  handle(tx: EntityManager, events: EventOf<typeof DeliveryAttempted>[]): Promise<AfterCommit | void> {
    return this.matcher.match(tx, events, ({ account_id, data }) => [outcomeOf(account_id, data)]);
  }
}
