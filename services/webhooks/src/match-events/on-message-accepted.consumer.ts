import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { MessageAccepted, type EventEnvelope } from '@postmesh/contracts';
import { Hears } from '@postmesh/service-host';
import { receptionOf } from '../public-payloads/message-payload.rules.js';
import { EventMatcher, type HeardEvent } from './event-matcher.js';
import { wants, type Listener, type PlannedCall } from './matching.rules.js';
import { ToldReceptions, type Reception } from './told-receptions.js';

type Accepted = ReturnType<typeof MessageAccepted.make>['data'];

/** Stored and queued: `message.reception`, one per recipient. */
@Controller()
export class OnMessageAccepted {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly told: ToldReceptions,
  ) {}

  @Hears(MessageAccepted)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    await this.matcher.match(
      'webhooks.on-message-accepted',
      MessageAccepted,
      events,
      (manager, fresh, listenersOf) => this.plan(manager, fresh, listenersOf),
    );
  }

  private async plan(
    manager: EntityManager,
    events: readonly HeardEvent<Accepted>[],
    listenersOf: (accountId: string) => readonly Listener[],
  ): Promise<PlannedCall[]> {
    const planned = events.flatMap((event) => callsOf(event, listenersOf(event.account_id)));
    const mayTell = await this.told.claim(
      manager,
      planned.map(({ reception }) => reception),
    );
    return planned.filter(({ reception }) => mayTell(reception)).map(({ call }) => call);
  }
}

function callsOf(
  { account_id, trace, data }: HeardEvent<Accepted>,
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
