import { hasCounterpart } from '@postmesh/webhook-dialects';
import type { WebhookEntity } from '../database/webhook.entity.js';
import type { PublicEvent } from '../webhook-events/event-payloads.rules.js';
import { EVENT_FLAGS, WEBHOOK_EVENTS, type EventFlag } from '../webhook-events/webhook-events.table.js';

/** The fields of a webhook for matching and calling. A disabled one misses the event, and can recover it. */
export type Listener = Pick<
  WebhookEntity,
  'id' | 'account_id' | 'created_at' | 'url' | 'enabled' | 'scope' | 'domains' | 'events' | 'dialect'
>;

/** A public event for the webhooks of an account. */
export interface TracedEvent {
  event: PublicEvent;
  trace: string | null;
}

/** One event for one webhook. */
export interface PlannedCall extends TracedEvent {
  listener: Listener;
}

/** The event is on, and the scope is global or contains the event's domain (spec 2-messages §18.12). */
export function wants(listener: Listener, flag: EventFlag, domain: string): boolean {
  return listener.events.includes(flag) && (listener.scope === 'global' || listener.domains.includes(domain));
}

/** In a dialect, events without a counterpart are left out, among them inbound mail: theirs is sent to routes. */
const canBeSent = ({ dialect }: Listener, { flag, isInbound, data }: PublicEvent): boolean =>
  dialect === null || (!isInbound && hasCounterpart(dialect, { type: WEBHOOK_EVENTS[flag].type, data }));

/** The calls of one event, in the order of the webhooks. */
export const planCalls = (tracedEvent: TracedEvent, listeners: readonly Listener[]): PlannedCall[] =>
  listeners
    .filter(
      (listener) =>
        wants(listener, tracedEvent.event.flag, tracedEvent.event.domain) &&
        canBeSent(listener, tracedEvent.event),
    )
    .map((listener) => ({ ...tracedEvent, listener }));

/** The state of an account before its events are matched: the number of webhooks per flag. */
export interface Standing extends Record<EventFlag, number> {
  account_id: string;
  /** earlier events are still waiting as fan-outs: new ones follow them */
  behind: boolean;
}

/**
 * The most calls that the transaction of a batch requests, per account and in total. The others
 * are published in pieces, so that other accounts wait for a bounded time.
 */
export const AT_ONCE = { perAccount: 2_000, perBatch: 5_000 };

/** Divides events into those requested with the batch and those stored for later: accounts with few calls first. */
export function divide(
  tracedEvents: ReadonlyMap<string, readonly TracedEvent[]>,
  standings: ReadonlyMap<string, Standing>,
): { now: string[]; later: string[] } {
  const weighed = [...tracedEvents].map(([accountId, list]) => {
    const standing = standings.get(accountId);
    const calls = list.reduce((sum, { event }) => sum + (standing?.[event.flag] ?? 0), 0);
    return { accountId, calls, behind: standing?.behind ?? false };
  });
  const divided: { now: string[]; later: string[] } = { now: [], later: [] };
  let sum = 0;
  for (const { accountId, calls, behind } of weighed.sort((a, b) => a.calls - b.calls)) {
    const fits = !behind && calls <= AT_ONCE.perAccount && sum + calls <= AT_ONCE.perBatch;
    if (fits) sum += calls;
    divided[fits ? 'now' : 'later'].push(accountId);
  }
  return divided;
}

/** The flags and domains of these events, for the query of webhooks: an account may cover ten thousand domains. */
export function asked(tracedEvents: Iterable<TracedEvent>): { flags: EventFlag[]; domains: string[] } {
  const flags = new Set<EventFlag>();
  const domains = new Set<string>();
  for (const { event } of tracedEvents) {
    flags.add(event.flag);
    domains.add(event.domain);
  }
  return { flags: EVENT_FLAGS.filter((flag) => flags.has(flag)), domains: [...domains] };
}
