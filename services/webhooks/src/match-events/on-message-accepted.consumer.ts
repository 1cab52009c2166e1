import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageAccepted, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import {
  receptionOf,
  suppressedAtAcceptance,
  type PublicEvent,
} from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';

/**
 * Stored and queued: `message.reception`, one per recipient; behind it `message.suppressed`, where a suppression ended
 * the message at once.
 */
@Injectable()
export class OnMessageAccepted implements Consumer<typeof MessageAccepted> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(MessageAccepted, 'webhooks.match-accepted-messages')
  handle(tx: EntityManager, events: EventOf<typeof MessageAccepted>[]): Promise<AfterCommit | void> {
    return this.matcher.match(tx, events, tellingsOf);
  }
}

function tellingsOf({
  account_id,
  data,
}: MatchedEvent<EventOf<typeof MessageAccepted>['data']>): PublicEvent[] {
  return data.recipients.flatMap((recipient) => [
    receptionOf(account_id, data, recipient),
    ...(recipient.suppressed ? [suppressedAtAcceptance(account_id, data, recipient)] : []),
  ]);
}
