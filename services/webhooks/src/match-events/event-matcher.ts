import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { EventDefinition, EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { CallRequests } from './call-requests.js';
import { Listeners } from './listeners.js';
import type { Listener, PlannedCall } from './matching.rules.js';

/** An event of an account that somebody listens to. */
export type HeardEvent<T> = EventEnvelope<T> & { account_id: string };

/** What is to be called for some events; runs in the transaction of the match. */
export type Plan<T> = (
  manager: EntityManager,
  events: readonly HeardEvent<T>[],
  listenersOf: (accountId: string) => readonly Listener[],
) => Promise<Iterable<PlannedCall>>;

// One event names up to 100 recipients: this many events are planned at once, whatever the batch.
const EVENTS_PER_PLAN = 50;

/** Turns a batch of events into calls of the webhooks that want them. */
@Injectable()
export class EventMatcher {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly listeners: Listeners,
    private readonly requests: CallRequests,
  ) {}

  /**
   * Events of accounts without an enabled webhook cost their share of one query and nothing else: no row, no
   * transaction.
   */
  async match<T>(
    consumer: string,
    definition: EventDefinition<T>,
    events: readonly EventEnvelope[],
    plan: Plan<T>,
  ): Promise<void> {
    const listening = await this.listeners.listening(accountsOf(events));
    const heard = events.filter((event) => listening.has(event.account_id ?? '')).map(definition.parse);
    if (heard.length === 0) return;
    await this.dataSource.transaction(async (manager) => {
      const fresh = (await this.inbox.admit(manager, consumer, heard)) as HeardEvent<T>[];
      const byAccount = await this.listeners.hold(manager, accountsOf(fresh));
      for (let at = 0; at < fresh.length; at += EVENTS_PER_PLAN) {
        const calls = await plan(
          manager,
          fresh.slice(at, at + EVENTS_PER_PLAN),
          (accountId) => byAccount.get(accountId) ?? [],
        );
        await this.requests.add(manager, calls);
      }
    });
  }
}

function accountsOf(events: readonly EventEnvelope[]): string[] {
  return [...new Set(events.flatMap((event) => event.account_id ?? []))];
}
