import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EventEnvelope } from '@postmesh/contracts';
import { CallRequests } from './call-requests.js';
import { Listeners } from './listeners.js';
import type { Listener, PlannedCall } from './matching.rules.js';

/** An event of an account that somebody listens to. */
export type MatchedEvent<T> = EventEnvelope<T> & { account_id: string };

/** What is to be called for some events; runs in the transaction of the match. */
export type Plan<T> = (
  manager: EntityManager,
  events: readonly MatchedEvent<T>[],
  listenersOf: (accountId: string) => readonly Listener[],
) => Promise<Iterable<PlannedCall>>;

// One event names up to 100 recipients: this many events are planned at once, whatever the batch.
const EVENTS_PER_PLAN = 50;

/** Turns a batch of events into calls of the webhooks that want them. */
@Injectable()
export class EventMatcher {
  constructor(
    private readonly listeners: Listeners,
    private readonly requests: CallRequests,
  ) {}

  /** Events of accounts without an enabled webhook cost their share of one query and nothing else. */
  async match<T>(tx: EntityManager, events: readonly EventEnvelope<T>[], plan: Plan<T>): Promise<void> {
    const byAccount = await this.listeners.lock(tx, accountsOf(events));
    const wanted = events.filter((event): event is MatchedEvent<T> => byAccount.has(event.account_id ?? ''));
    for (let at = 0; at < wanted.length; at += EVENTS_PER_PLAN) {
      const calls = await plan(
        tx,
        wanted.slice(at, at + EVENTS_PER_PLAN),
        (accountId) => byAccount.get(accountId) ?? [],
      );
      await this.requests.add(tx, calls);
    }
  }
}

function accountsOf(events: readonly EventEnvelope[]): string[] {
  return [...new Set(events.flatMap((event) => event.account_id ?? []))];
}
