import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MessageAccepted } from '@postmesh/messages-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import {
  receptionOf,
  suppressedAtAcceptance,
  type PublicEvent,
} from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';

/**
 * `message.reception` of a stored message, one per recipient; after it `message.suppressed`, when a suppression ended
 * the message at once.
 */
@Controller()
export class OnMessageAccepted {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(MessageAccepted, 'webhooks.match-accepted-messages')
  async handle(
    @Payload() events: EventOf<typeof MessageAccepted>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.matcher.match(tx, events, publicEventsOf));
  }
}

function publicEventsOf({
  account_id,
  data,
}: MatchedEvent<EventOf<typeof MessageAccepted>['data']>): PublicEvent[] {
  return data.recipients.flatMap((recipient) => [
    receptionOf(account_id, data, recipient),
    ...(recipient.suppressed ? [suppressedAtAcceptance(account_id, data, recipient)] : []),
  ]);
}
