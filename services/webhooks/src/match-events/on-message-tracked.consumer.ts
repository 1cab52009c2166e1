import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageTracked, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { trackedOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** `message.opened` and `message.clicked`, for each fetch, also of bots (spec 2-messages §11 rule 8). */
@Injectable()
export class OnMessageTracked implements Consumer<typeof MessageTracked> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(MessageTracked, 'webhooks.match-tracked-messages')
  handle(tx: EntityManager, events: EventOf<typeof MessageTracked>[]): Promise<AfterCommit | void> {
    return this.matcher.match(tx, events, ({ account_id, data }) => [trackedOf(account_id, data)]);
  }
}
