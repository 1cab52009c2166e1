import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { EventEnvelope } from '@postmesh/contracts';
import type { AfterCommit } from '@postmesh/service-host';
import type { PublicEvent } from '../webhook-events/event-payloads.rules.js';
import { CallRequests } from '../request-calls/call-requests.js';
import { FanOutTurns } from '../fan-outs/fan-out-turns.js';
import { FanOuts } from '../fan-outs/fan-outs.js';
import { Listeners } from '../request-calls/listeners.js';
import { asked, divide, planCalls } from '../request-calls/matching.rules.js';
import type { Listener, Standing, TracedEvent } from '../request-calls/matching.rules.js';

/** An event with an account. */
export type MatchedEvent<T> = EventEnvelope<T> & { account_id: string };

/** The public events of an event, in their order; empty when it has none. */
export type PublicEventsOf<T> = (event: MatchedEvent<T>) => Iterable<PublicEvent>;

/** Turns a batch of events into calls of the webhooks that subscribed to them. */
@Injectable()
export class EventMatcher {
  constructor(
    private readonly listeners: Listeners,
    private readonly requests: CallRequests,
    private readonly fanOuts: FanOuts,
    private readonly turns: FanOutTurns,
  ) {}

  /**
   * Events of accounts without a webhook cost their share of one query only. Events with more calls than a batch may
   * have, and later ones of the same account, are stored and published in pieces (ADR 50).
   * @returns a function to call after the commit
   */
  async match<T>(
    tx: EntityManager,
    events: readonly EventEnvelope<T>[],
    publicEventsOf: PublicEventsOf<T>,
  ): Promise<AfterCommit | void> {
    const standings = await this.listeners.standings(tx, accountsOf(events));
    const tracedEvents = wantedEvents(events, standings, publicEventsOf);
    const { now, later } = divide(tracedEvents, standings);
    const of = (accountIds: readonly string[]) =>
      accountIds.map((accountId) => tracedEvents.get(accountId) ?? []);
    await this.tell(tx, now, of(now).flat());
    if (later.length === 0) return;
    await this.fanOuts.add(tx, of(later).flat());
    return () => this.turns.trigger();
  }

  private async tell(
    tx: EntityManager,
    accountIds: readonly string[],
    tracedEvents: readonly TracedEvent[],
  ): Promise<void> {
    if (tracedEvents.length === 0) return;
    const listeners = byAccount(await this.listeners.lock(tx, { accountIds, ...asked(tracedEvents) }));
    await this.requests.add(
      tx,
      tracedEvents.flatMap((tracedEvent) =>
        planCalls(tracedEvent, listeners.get(tracedEvent.event.accountId) ?? []),
      ),
    );
  }
}

/** By account, in the order of the events; only events with a flag that is on in at least one webhook. */
function wantedEvents<T>(
  events: readonly EventEnvelope<T>[],
  standings: ReadonlyMap<string, Standing>,
  publicEventsOf: PublicEventsOf<T>,
): Map<string, TracedEvent[]> {
  const wanted = new Map<string, TracedEvent[]>();
  for (const matched of events) {
    const standing = standings.get(matched.account_id ?? '');
    if (!standing) continue;
    const list = wanted.get(standing.account_id) ?? [];
    for (const event of publicEventsOf({ ...matched, account_id: standing.account_id })) {
      if (standing[event.flag] > 0) list.push({ event, trace: matched.trace });
    }
    if (list.length > 0) wanted.set(standing.account_id, list);
  }
  return wanted;
}

function accountsOf(events: readonly EventEnvelope[]): string[] {
  return [...new Set(events.flatMap((event) => event.account_id ?? []))];
}

function byAccount(listeners: readonly Listener[]): Map<string, Listener[]> {
  const found = new Map<string, Listener[]>();
  for (const listener of listeners) {
    const list = found.get(listener.account_id);
    if (list) list.push(listener);
    else found.set(listener.account_id, [listener]);
  }
  return found;
}
