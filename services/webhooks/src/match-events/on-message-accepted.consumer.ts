import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageAccepted, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { receptionOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';
import { wants, type Listener, type PlannedCall } from './matching.rules.js';
import { PublishedReceptions, type Reception } from './published-receptions.js';

type Accepted = ReturnType<typeof MessageAccepted.make>['data'];

/** Stored and queued: `message.reception`, one per recipient. */
@Injectable()
export class OnMessageAccepted implements Consumer<typeof MessageAccepted> {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly receptions: PublishedReceptions,
  ) {}

  @Consumes(MessageAccepted, 'webhooks.match-accepted-messages')
  async handle(tx: EntityManager, events: EventOf<typeof MessageAccepted>[]): Promise<void> {
    await this.matcher.match(tx, events, (manager, wanted, listenersOf) =>
      this.plan(manager, wanted, listenersOf),
    );
  }

  private async plan(
    manager: EntityManager,
    events: readonly MatchedEvent<Accepted>[],
    listenersOf: (accountId: string) => readonly Listener[],
  ): Promise<PlannedCall[]> {
    const planned = events.flatMap((event) => callsOf(event, listenersOf(event.account_id)));
    const isNew = await this.receptions.claim(
      manager,
      planned.map(({ reception }) => reception),
    );
    return planned.filter(({ reception }) => isNew(reception)).map(({ call }) => call);
  }
}

function callsOf(
  { account_id, trace, data }: MatchedEvent<Accepted>,
  listeners: readonly Listener[],
): { reception: Reception; call: PlannedCall }[] {
  const interested = listeners.filter((listener) => wants(listener, 'on_reception', data.domain));
  if (interested.length === 0) return [];
  return data.recipients.flatMap((recipient) => {
    const event = receptionOf(account_id, data, recipient);
    return interested.map((listener) => ({
      reception: { messageId: recipient.id, webhookId: listener.id },
      call: { listener, event, trace },
    }));
  });
}
