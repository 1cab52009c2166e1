import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TooMuchAtOnce, type EventOf } from '@postmesh/contracts';
import type { MessageReceived } from '@postmesh/messages-contract';
import { CallRequests, type RequestedCall } from '../request-calls/call-requests.js';
import type { MatchedEvent } from '../match-events/event-matcher.js';
import { EnabledRoutes, type EnabledRoute } from './enabled-routes.js';
import { GroupedMessages, type GroupedMessage } from './grouped-messages.js';
import { groupingKey, routedTo, ROUTING_TYPE, type RoutedMessage } from './route-calls.rules.js';

type Received = EventOf<typeof MessageReceived>;
type Matched = MatchedEvent<Received['data']>;

interface RoutedEvent {
  event: Matched;
  routed: RoutedMessage[];
}

// The calls of one message with 50 recipients for a hundred routes that match all. A larger batch is split in halves,
// so that no transaction grows with the routes of one account times the messages of another.
const MOST_CALLS = 5_000;

/** Turns received messages into calls of the matching routes. */
@Injectable()
export class RouteMatcher {
  constructor(
    private readonly routes: EnabledRoutes,
    private readonly grouped: GroupedMessages,
    private readonly requests: CallRequests,
  ) {}

  async match(tx: EntityManager, events: readonly Received[]): Promise<void> {
    const byAccount = await this.routes.lock(tx, [
      ...new Set(events.flatMap((event) => event.account_id ?? [])),
    ]);
    const wanted = events.filter((event): event is Matched => byAccount.has(event.account_id ?? ''));
    const routed = routedEvents(wanted, byAccount);
    const isNew = await this.grouped.claim(tx, routed.flatMap(groupedIn));
    await this.requests.request(tx, callsOf(routed, isNew));
  }
}

/** @throws TooMuchAtOnce when several messages have more calls than a transaction may have */
function routedEvents(
  events: readonly Matched[],
  routes: ReadonlyMap<string, readonly EnabledRoute[]>,
): RoutedEvent[] {
  let calls = 0;
  return events.map((event) => {
    const routed = routedTo(event.data, routes.get(event.account_id) ?? []);
    for (const { route, recipients } of routed) calls += route.group_by_message_id ? 1 : recipients.length;
    if (calls > MOST_CALLS && events.length > 1)
      throw new TooMuchAtOnce(`more than ${MOST_CALLS} route calls`);
    return { event, routed };
  });
}

function groupedIn({ event, routed }: RoutedEvent): GroupedMessage[] {
  const grouping = routed.filter(({ route }) => route.group_by_message_id);
  const key = grouping.length === 0 ? '' : groupingKey(event.data);
  return grouping.map(({ route }) => ({ routeId: route.id, key }));
}

/** One call per recipient, or per message for a grouping route; generated one by one as they are stored. */
function* callsOf(
  events: readonly RoutedEvent[],
  isNew: (message: GroupedMessage) => boolean,
): Generator<RequestedCall> {
  for (const { event, routed } of events) {
    const key = groupingKey(event.data);
    for (const { route, recipients } of routed) {
      const calledFor = route.group_by_message_id ? recipients.slice(0, 1) : recipients;
      if (route.group_by_message_id && !isNew({ routeId: route.id, key })) continue;
      for (const recipient of calledFor) yield callOf(event, route, recipient);
    }
  }
}

function callOf(
  event: Matched,
  route: EnabledRoute,
  recipient: { id: string; email: string },
): RequestedCall {
  return {
    target: route,
    eventType: ROUTING_TYPE,
    // the messages service writes it at each attempt
    body: '',
    route: { message_id: recipient.id, to: recipient.email, occurred_at: event.data.received_at },
    accountId: event.account_id,
    trace: event.trace,
  };
}
