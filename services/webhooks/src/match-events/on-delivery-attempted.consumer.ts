import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { flagOfOutcome, outcomeOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';
import { wants, type Listener } from './matching.rules.js';
import { laterCall, withReceptions, type LaterCall } from './overtaken-receptions.js';
import { PublishedReceptions } from './published-receptions.js';

type Attempted = ReturnType<typeof DeliveryAttempted.make>['data'];

/** Delivered, deferred, bounced, failed, suppressed: one step of one recipient's delivery. */
@Injectable()
export class OnDeliveryAttempted implements Consumer<typeof DeliveryAttempted> {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly receptions: PublishedReceptions,
  ) {}

  @Consumes(DeliveryAttempted, 'webhooks.match-delivery-attempts')
  async handle(tx: EntityManager, events: EventOf<typeof DeliveryAttempted>[]): Promise<void> {
    await this.matcher.match(tx, events, (manager, wanted, listenersOf) =>
      withReceptions(
        manager,
        this.receptions,
        wanted.flatMap((event) => outcomesOf(event, listenersOf(event.account_id))),
      ),
    );
  }
}

function outcomesOf(event: MatchedEvent<Attempted>, listeners: readonly Listener[]): LaterCall[] {
  const { account_id, data } = event;
  const flag = flagOfOutcome(data.outcome);
  const interested = listeners.filter((listener) => wants(listener, flag, data.domain));
  if (interested.length === 0) return [];
  const outcome = outcomeOf(account_id, data);
  return interested.map((listener) => laterCall(event, listener, outcome));
}
