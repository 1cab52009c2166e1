import type { EventOf } from '@postmesh/contracts';
import type { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { MessageChanged } from './message-changed.v1.js';

export type MessageChangedEvent = EventOf<typeof MessageChanged>;
type Attempted = EventOf<typeof DeliveryAttempted>;

/** The class of failure of an outcome; empty for one that is no failure. */
export function failureClassOf({
  outcome,
  classification,
  reply,
}: Pick<Attempted['data'], 'outcome' | 'classification' | 'reply'>): string {
  if (outcome === 'delivered') return '';
  // The class of the message, not of its last reply: `MessageExpired` also when the last server gave a reason (spec 2-messages §8.3).
  if (outcome === 'failed') return classification ?? 'MessageExpired';
  return reply?.classification ?? '';
}

/** The change by an attempt, under its id: the same attempt is the same change. */
export function changeByAttempt({ id, account_id, trace, data }: Attempted): MessageChangedEvent {
  const classification = failureClassOf(data);
  const change = {
    message_id: data.message_id,
    send_request_id: data.send_request_id,
    ...(data.campaign_id === undefined ? {} : { campaign_id: data.campaign_id }),
    domain: data.domain,
    sender: data.sender,
    ...(data.sender_name === undefined ? {} : { sender_name: data.sender_name }),
    recipient: data.recipient,
    subject: data.subject,
    message_id_header: data.message_id_header,
    change: data.outcome,
    changed_at: data.finished_at,
    sandbox: data.sandbox,
    accepted_at: data.accepted_at ?? data.first_attempt_at ?? data.finished_at,
    reply: data.reply,
    ...(classification === '' ? {} : { classification }),
  };
  return { ...MessageChanged.make(change, { account_id, trace }), id };
}
