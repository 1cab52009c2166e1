import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageAccepted, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { receptionOf, suppressedAtAcceptance } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';
import { wants, type Listener, type PlannedCall } from './matching.rules.js';
import { PublishedReceptions, type Reception } from './published-receptions.js';

type Accepted = ReturnType<typeof MessageAccepted.make>['data'];
type Recipient = Accepted['recipients'][number];

interface Planned {
  call: PlannedCall;
  /** of a reception: it may have been told before, by an outcome that came first */
  reception?: Reception;
}

/**
 * Stored and queued: `message.reception`, one per recipient; behind it `message.suppressed`, where a suppression ended
 * the message at once.
 */
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
      planned.flatMap(({ reception }) => reception ?? []),
    );
    return planned.filter(({ reception }) => !reception || isNew(reception)).map(({ call }) => call);
  }
}

function callsOf(event: MatchedEvent<Accepted>, listeners: readonly Listener[]): Planned[] {
  const { domain, recipients } = event.data;
  const ofReception = listeners.filter((listener) => wants(listener, 'on_reception', domain));
  const ofSuppression = listeners.filter((listener) => wants(listener, 'on_suppressed', domain));
  if (ofReception.length + ofSuppression.length === 0) return [];
  return recipients.flatMap((recipient) => [
    ...receptionsOf(event, recipient, ofReception),
    ...(recipient.suppressed ? suppressionsOf(event, recipient, ofSuppression) : []),
  ]);
}

function receptionsOf(
  { account_id, trace, data }: MatchedEvent<Accepted>,
  recipient: Recipient,
  listeners: readonly Listener[],
): Planned[] {
  if (listeners.length === 0) return [];
  const event = receptionOf(account_id, data, recipient);
  return listeners.map((listener) => ({
    reception: { messageId: recipient.id, webhookId: listener.id },
    call: { listener, event, trace },
  }));
}

function suppressionsOf(
  { account_id, trace, data }: MatchedEvent<Accepted>,
  recipient: Recipient,
  listeners: readonly Listener[],
): Planned[] {
  const event = suppressedAtAcceptance(account_id, data, recipient);
  return listeners.map((listener) => ({ call: { listener, event, trace } }));
}
