import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { flagOfOutcome, outcomeOf, receptionBefore } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';
import { wants, type Listener, type PlannedCall } from './matching.rules.js';
import { acceptedAt, mayHaveOvertaken } from './published-receptions.js';
import { PublishedReceptions, type Reception } from './published-receptions.js';

type Attempted = ReturnType<typeof DeliveryAttempted.make>['data'];

interface PlannedOutcome {
  call: PlannedCall;
  /** set where the outcome may have come before the reception of its message: that is then told first */
  before?: { reception: Reception; call: PlannedCall };
}

/** Delivered, deferred, bounced, failed, suppressed: one step of one recipient's delivery. */
@Injectable()
export class OnDeliveryAttempted implements Consumer<typeof DeliveryAttempted> {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly receptions: PublishedReceptions,
  ) {}

  @Consumes(DeliveryAttempted, 'webhooks.match-delivery-attempts')
  async handle(tx: EntityManager, events: EventOf<typeof DeliveryAttempted>[]): Promise<void> {
    await this.matcher.match(tx, events, (manager, wanted, listenersOf) =>
      this.plan(manager, wanted, listenersOf),
    );
  }

  private async plan(
    manager: EntityManager,
    events: readonly MatchedEvent<Attempted>[],
    listenersOf: (accountId: string) => readonly Listener[],
  ): Promise<PlannedCall[]> {
    const planned = events.flatMap((event) => outcomesOf(event, listenersOf(event.account_id)));
    const isNew = await this.receptions.claim(
      manager,
      planned.flatMap(({ before }) => before?.reception ?? []),
    );
    return planned.flatMap(({ call, before }) =>
      before && isNew(before.reception) ? [before.call, call] : [call],
    );
  }
}

function outcomesOf(event: MatchedEvent<Attempted>, listeners: readonly Listener[]): PlannedOutcome[] {
  const { account_id, trace, data } = event;
  const flag = flagOfOutcome(data.outcome);
  const interested = listeners.filter((listener) => wants(listener, flag, data.domain));
  if (interested.length === 0) return [];
  const outcome = outcomeOf(account_id, data);
  return interested.map((listener) => ({
    call: { listener, event: outcome, trace },
    before: overtakenReception(event, listener),
  }));
}

function overtakenReception(
  { account_id, trace, data }: MatchedEvent<Attempted>,
  listener: Listener,
): PlannedOutcome['before'] {
  const accepted = acceptedAt(data.message_id);
  if (!accepted || !wants(listener, 'on_reception', data.domain)) return undefined;
  if (!mayHaveOvertaken(listener.updated_at, accepted, new Date())) return undefined;
  return {
    reception: { messageId: data.message_id, webhookId: listener.id },
    call: { listener, event: receptionBefore(account_id, data, accepted.toISOString()), trace },
  };
}
