import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageTracked, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { flagOfFetch, trackedOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';
import { wants, type Listener } from './matching.rules.js';
import { laterCall, withReceptions, type LaterCall } from './overtaken-receptions.js';
import { PublishedReceptions } from './published-receptions.js';

type Tracked = ReturnType<typeof MessageTracked.make>['data'];

/** `message.opened` and `message.clicked`, for each fetch, also of bots (spec 2-messages §11 rule 8). */
@Injectable()
export class OnMessageTracked implements Consumer<typeof MessageTracked> {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly receptions: PublishedReceptions,
  ) {}

  @Consumes(MessageTracked, 'webhooks.match-tracked-messages')
  async handle(tx: EntityManager, events: EventOf<typeof MessageTracked>[]): Promise<void> {
    await this.matcher.match(tx, events, (manager, wanted, listenersOf) =>
      withReceptions(
        manager,
        this.receptions,
        wanted.flatMap((event) => fetchOf(event, listenersOf(event.account_id))),
      ),
    );
  }
}

function fetchOf(event: MatchedEvent<Tracked>, listeners: readonly Listener[]): LaterCall[] {
  const { account_id, data } = event;
  const flag = flagOfFetch(data.kind);
  const interested = listeners.filter((listener) => wants(listener, flag, data.domain));
  if (interested.length === 0) return [];
  const fetched = trackedOf(account_id, data);
  return interested.map((listener) => laterCall(event, listener, fetched));
}
