import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MessageReceived } from '@postmesh/messages-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { EventMatcher } from '../match-events/event-matcher.js';
import { receptionOfInbound } from '../webhook-events/event-payloads.rules.js';
import { RouteMatcher } from './route-matcher.js';

/** An inbound message: `message.reception`, one per recipient, and the calls of matching routes (spec 2-messages §16). */
@Controller()
export class OnMessageReceived {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly routes: RouteMatcher,
  ) {}

  @Consumes(MessageReceived, 'webhooks.match-received-messages')
  async handle(
    @Payload() events: EventOf<typeof MessageReceived>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    const matched = await this.matcher.match(tx, events, ({ account_id, data }) =>
      data.recipients.map((recipient) => receptionOfInbound(account_id, data, recipient)),
    );
    await this.routes.match(tx, events);
    afterCommit(matched);
  }
}
