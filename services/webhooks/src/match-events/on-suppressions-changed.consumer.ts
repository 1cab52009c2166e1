import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SuppressionsChanged, type EventOf, type SuppressionChange } from '@postmesh/contracts';
import { Consumes, type Consumer } from '@postmesh/service-host';
import { suppressionCreatedOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher, type MatchedEvent } from './event-matcher.js';
import { wants, type Listener, type PlannedCall } from './matching.rules.js';

type Changed = ReturnType<typeof SuppressionsChanged.make>['data'];

/** A new row of a suppression list: `suppression.created`. */
@Injectable()
export class OnSuppressionsChanged implements Consumer<typeof SuppressionsChanged> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(SuppressionsChanged, 'webhooks.match-suppressions')
  async handle(tx: EntityManager, events: EventOf<typeof SuppressionsChanged>[]): Promise<void> {
    await this.matcher.match(tx, events, async (_, wanted, listenersOf) => callsOf(wanted, listenersOf));
  }
}

/** One after another, as they are taken: an event has up to 500 changes, and each may mean many calls. */
function* callsOf(
  events: readonly MatchedEvent<Changed>[],
  listenersOf: (accountId: string) => readonly Listener[],
): Generator<PlannedCall> {
  for (const { account_id, trace, data } of events) {
    const listeners = listenersOf(account_id).filter((listener) => listener.on_suppression_created);
    if (listeners.length === 0) continue;
    for (const change of data.changes.filter(isTold)) {
      const event = suppressionCreatedOf(account_id, change);
      for (const listener of listeners) {
        if (wants(listener, 'on_suppression_created', change.domain)) yield { listener, event, trace };
      }
    }
  }
}

/** Not of what an operator imported: nobody asked for a hundred thousand calls. */
const isTold = ({ kind, source }: SuppressionChange): boolean => kind === 'created' && source !== 'import';
