import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MessageTracked, type EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { trackedOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** `message.opened` and `message.clicked`, for each fetch, also of bots (spec 2-messages §11 rule 8). */
@Controller()
export class OnMessageTracked {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(MessageTracked, 'webhooks.match-tracked-messages')
  async handle(
    @Payload() events: EventOf<typeof MessageTracked>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(
      await this.matcher.match(tx, events, ({ account_id, data }) => [trackedOf(account_id, data)]),
    );
  }
}
