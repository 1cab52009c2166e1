import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BounceReported, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { reportedBounceOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** `message.bounced` of a message that had been delivered: a report said so later (spec 2-messages §15.4). */
@Injectable()
export class OnBounceReported implements Consumer<typeof BounceReported> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(BounceReported, 'webhooks.match-reported-bounces')
  handle(tx: EntityManager, events: EventOf<typeof BounceReported>[]): Promise<AfterCommit | void> {
    return this.matcher.match(tx, events, ({ account_id, data }) => [reportedBounceOf(account_id, data)]);
  }
}
