import type { EventEnvelope, MessageAccepted } from '@postmesh/contracts';
import { holdReason } from '../account-states/account-states.rules.js';

type Accepted = ReturnType<typeof MessageAccepted.make>['data'];
export type AcceptedEvent = EventEnvelope<Accepted>;

export interface NewDelivery {
  id: string;
  sendRequestId: string;
  recipient: string;
  /** the recipient's domain */
  destination: string;
  dueAt: string;
}

/** One delivery per recipient, due at once or at the scheduled first attempt. */
export function toDeliveries({ data }: AcceptedEvent): NewDelivery[] {
  return data.recipients.map(({ id, email }) => ({
    id,
    sendRequestId: data.send_request_id,
    recipient: email,
    destination: email.slice(email.lastIndexOf('@') + 1),
    dueAt: data.first_attempt ?? data.accepted_at,
  }));
}

/** A delivery whose account may not send: it waits for the account, until its own time is over. */
export interface HeldDelivery extends NewDelivery {
  accountId: string;
  reason: string;
  until: Date;
}

/**
 * What is taken in of these events: deliveries of accounts that may not send are held, those of deleted accounts left
 * out.
 * @param states of accounts that are not active
 */
export function sortByAccount(
  events: readonly AcceptedEvent[],
  states: ReadonlyMap<string, string>,
  windowSeconds: number,
): { events: AcceptedEvent[]; waiting: NewDelivery[]; held: HeldDelivery[] } {
  const stateOf = (event: AcceptedEvent) => states.get(event.account_id ?? '');
  const kept = events.filter((event) => stateOf(event) !== 'deleted');
  const isHeld = (event: AcceptedEvent) => holdReason(stateOf(event)) !== undefined;
  return {
    events: kept,
    waiting: kept.filter((event) => !isHeld(event)).flatMap(toDeliveries),
    held: kept.filter(isHeld).flatMap((event) => {
      const about = { accountId: event.account_id ?? '', reason: holdReason(stateOf(event)) ?? '' };
      return toDeliveries(event).map((delivery) => ({
        ...delivery,
        ...about,
        until: endOf(delivery, event.data.expires, windowSeconds),
      }));
    }),
  };
}

/** Its window begins when it is due, as nothing is tried. */
function endOf({ dueAt }: NewDelivery, expires: string | null, windowSeconds: number): Date {
  const end = Date.parse(dueAt) + windowSeconds * 1000;
  return new Date(expires === null ? end : Math.min(end, Date.parse(expires)));
}

// One provider's outcomes are spread over this many keys: order holds per message, work spreads over partitions.
const SHARDS_PER_DESTINATION = 4;

/** The key of a delivery's events: the destination, sharded by the message so that its events stay in order. */
export function destinationKey(destination: string, messageId: string): string {
  return `${destination}#${Number.parseInt(messageId.slice(-2), 16) % SHARDS_PER_DESTINATION}`;
}
