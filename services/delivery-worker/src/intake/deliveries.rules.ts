import type { EventEnvelope, MessageAccepted } from '@postmesh/contracts';

type Accepted = ReturnType<typeof MessageAccepted.make>['data'];
export type AcceptedEvent = EventEnvelope<Accepted>;

export interface NewDelivery {
  id: string;
  submissionId: string;
  recipient: string;
  /** the recipient's domain */
  destination: string;
  dueAt: string;
}

/** One delivery per recipient, due at once or at the scheduled first attempt. */
export function toDeliveries({ data }: AcceptedEvent): NewDelivery[] {
  return data.recipients.map(({ id, email }) => ({
    id,
    submissionId: data.submission_id,
    recipient: email,
    destination: email.slice(email.lastIndexOf('@') + 1),
    dueAt: data.first_attempt ?? data.accepted_at,
  }));
}

// One provider's outcomes are spread over this many keys: order holds per message, work spreads over partitions.
const SHARDS_PER_DESTINATION = 4;

/** The key of a delivery's events: the destination, sharded by the message so that its events stay in order. */
export function destinationKey(destination: string, messageId: string): string {
  return `${destination}#${Number.parseInt(messageId.slice(-2), 16) % SHARDS_PER_DESTINATION}`;
}
