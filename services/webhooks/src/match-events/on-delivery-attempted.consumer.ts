import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DeliveryAttempted, type EventOf } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { flagOfOutcome, outcomeOf, receptionBefore } from '../public-payloads/message-payload.rules.js';
import { EventMatcher, type HeardEvent } from './event-matcher.js';
import { wants, type Listener, type PlannedCall } from './matching.rules.js';
import { acceptedAt, mayHaveOvertaken } from './told-receptions.rules.js';
import { ToldReceptions, type Reception } from './told-receptions.js';

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
    private readonly told: ToldReceptions,
  ) {}

  @Consumes(DeliveryAttempted, 'webhooks.match-delivery-attempts')
  async handle(tx: EntityManager, events: EventOf<typeof DeliveryAttempted>[]): Promise<void> {
    await this.matcher.match(tx, events, (manager, wanted, listenersOf) =>
      this.plan(manager, wanted, listenersOf),
    );
  }

  private async plan(
    manager: EntityManager,
    events: readonly HeardEvent<Attempted>[],
    listenersOf: (accountId: string) => readonly Listener[],
  ): Promise<PlannedCall[]> {
    const planned = events.flatMap((event) => outcomesOf(event, listenersOf(event.account_id)));
    const mayTell = await this.told.claim(
      manager,
      planned.flatMap(({ before }) => before?.reception ?? []),
    );
    return planned.flatMap(({ call, before }) =>
      before && mayTell(before.reception) ? [before.call, call] : [call],
    );
  }
}

function outcomesOf(event: HeardEvent<Attempted>, listeners: readonly Listener[]): PlannedOutcome[] {
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
  { account_id, trace, data }: HeardEvent<Attempted>,
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
