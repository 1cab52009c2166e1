import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageReceived, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { EventMatcher, type MatchedEvent } from '../match-events/event-matcher.js';
import { wants, type Listener, type PlannedCall } from '../match-events/matching.rules.js';
import { receptionOfInbound } from '../webhook-events/event-payloads.rules.js';
import { RouteMatcher } from './route-matcher.js';

type Received = EventOf<typeof MessageReceived>['data'];

/** A message came in: `message.reception`, one per recipient, and the routes that take it (spec 2-messages §16). */
@Injectable()
export class OnMessageReceived implements Consumer<typeof MessageReceived> {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly routes: RouteMatcher,
  ) {}

  @Consumes(MessageReceived, 'webhooks.match-received-messages')
  async handle(tx: EntityManager, events: EventOf<typeof MessageReceived>[]): Promise<void> {
    await this.matcher.match(tx, events, async (_manager, wanted, listenersOf) =>
      wanted.flatMap((event) => receptionsOf(event, listenersOf(event.account_id))),
    );
    await this.routes.match(tx, events);
  }
}

function receptionsOf(
  { account_id, trace, data }: MatchedEvent<Received>,
  listeners: readonly Listener[],
): PlannedCall[] {
  const interested = listeners.filter((listener) => wants(listener, 'on_reception', data.domain));
  if (interested.length === 0) return [];
  return data.recipients.flatMap((recipient) => {
    const event = receptionOfInbound(account_id, data, recipient);
    return interested.map((listener) => ({ listener, event, trace }));
  });
}
