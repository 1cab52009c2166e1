import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MessageChanged, type MessageChangedEvent } from '@postmesh/messages-contract';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { changeOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/**
 * Delivered, deferred, bounced, failed, suppressed, opened or clicked. `GET` shows it already, as the messages service
 * publishes it with the change; the reception of the message came before it, on the same stream under the same key.
 */
@Controller()
export class OnMessageChanged {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(MessageChanged, 'webhooks.match-message-changes')
  async handle(
    @Payload() events: MessageChangedEvent[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.matcher.match(tx, events, changeOf));
  }
}
