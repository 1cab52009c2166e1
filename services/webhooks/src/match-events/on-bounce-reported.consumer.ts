import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BounceReported, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { reportedBounceOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';
import { wants, type Listener } from './matching.rules.js';
import { laterCall, withReceptions, type LaterCall } from './overtaken-receptions.js';
import { PublishedReceptions } from './published-receptions.js';

type Reported = EventOf<typeof BounceReported>['data'];

/** `message.bounced` of a message that had been delivered: a report said so later (spec 2-messages §15.4). */
@Injectable()
export class OnBounceReported implements Consumer<typeof BounceReported> {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly receptions: PublishedReceptions,
  ) {}

  @Consumes(BounceReported, 'webhooks.match-reported-bounces')
  async handle(tx: EntityManager, events: EventOf<typeof BounceReported>[]): Promise<void> {
    await this.matcher.match(tx, events, (manager, wanted, listenersOf) =>
      withReceptions(
        manager,
        this.receptions,
        wanted.flatMap((event) => bounceOf(event, listenersOf(event.account_id))),
      ),
    );
  }
}

function bounceOf(event: MatchedEvent<Reported>, listeners: readonly Listener[]): LaterCall[] {
  const { account_id, data } = event;
  const interested = listeners.filter((listener) => wants(listener, 'on_bounced', data.domain));
  if (interested.length === 0) return [];
  const bounced = reportedBounceOf(account_id, data);
  return interested.map((listener) => laterCall(event, listener, bounced));
}
