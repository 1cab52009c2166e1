import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { BounceReported, type EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { reportedBounceOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** `message.bounced` of a message that had been delivered: a report said so later (spec 2-messages §15.4). */
@Controller()
export class OnBounceReported {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(BounceReported, 'webhooks.match-reported-bounces')
  async handle(
    @Payload() events: EventOf<typeof BounceReported>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(
      await this.matcher.match(tx, events, ({ account_id, data }) => [reportedBounceOf(account_id, data)]),
    );
  }
}
