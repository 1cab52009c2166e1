import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { outcomeOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** Delivered, deferred, bounced, failed, suppressed: one step of one recipient's delivery. */
@Controller()
export class OnDeliveryAttempted {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(DeliveryAttempted, 'webhooks.match-delivery-attempts')
  async handle(
    @Payload() events: EventOf<typeof DeliveryAttempted>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(
      await this.matcher.match(tx, events, ({ account_id, data }) => [outcomeOf(account_id, data)]),
    );
  }
}
