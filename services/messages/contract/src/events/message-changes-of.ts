import type { EventEnvelope, EventOf } from '@postmesh/contracts';
import type { BounceReported } from './bounce-reported.v1.js';
import type { ComplaintReported } from './complaint-reported.v1.js';
import type { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { MessageChanged } from './message-changed.v1.js';
import type { MessageTracked } from './message-tracked.v1.js';

export type MessageChangedEvent = EventOf<typeof MessageChanged>;
type Attempted = EventOf<typeof DeliveryAttempted>;
type Data = MessageChangedEvent['data'];

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
export function changeByAttempt(event: Attempted): MessageChangedEvent {
  const { data } = event;
  const classification = failureClassOf(data);
  return changeBy(event, {
    ...messageOf(data),
    change: data.outcome,
    changed_at: data.finished_at,
    sandbox: data.sandbox,
    accepted_at: data.accepted_at ?? data.first_attempt_at ?? data.finished_at,
    reply: data.reply,
    ...(classification === '' ? {} : { classification }),
  });
}

/** The change by a report that the release before decision 108 published. */
export const changeByReport = (event: EventOf<typeof BounceReported>): MessageChangedEvent =>
  changeBy(event, {
    ...messageOf(event.data),
    change: 'bounced',
    changed_at: event.data.reported_at,
    sandbox: false,
    reply: null,
    classification: event.data.classification,
  });

/** The change by a fetch that the release before decision 108 published. */
export function changeByFetch(event: EventOf<typeof MessageTracked>): MessageChangedEvent {
  const { kind, occurred_at, sandbox, url, user_agent, ip, is_bot } = event.data;
  return changeBy(event, {
    ...messageOf(event.data),
    change: kind,
    changed_at: occurred_at,
    sandbox,
    fetch: { ...(url === undefined ? {} : { url }), user_agent, ip, is_bot },
  });
}

/** The change by a complaint that the release before decision 108 published, with the fields that a campaign needs. */
export const changeByComplaint = (event: EventOf<typeof ComplaintReported>): MessageChangedEvent =>
  changeBy(event, {
    ...{ domain: '', sender: '', subject: '', message_id_header: '' },
    message_id: event.data.message_id,
    send_request_id: event.data.send_request_id,
    campaign_id: event.data.campaign_id,
    recipient: event.data.recipient,
    change: 'complained',
    changed_at: event.data.reported_at,
    sandbox: false,
  });

type OfMessage = Pick<
  Data,
  | 'message_id'
  | 'send_request_id'
  | 'campaign_id'
  | 'domain'
  | 'sender'
  | 'sender_name'
  | 'recipient'
  | 'subject'
  | 'message_id_header'
>;

const messageOf = (data: OfMessage): OfMessage => ({
  message_id: data.message_id,
  send_request_id: data.send_request_id,
  ...(data.campaign_id === undefined ? {} : { campaign_id: data.campaign_id }),
  domain: data.domain,
  sender: data.sender,
  ...(data.sender_name === undefined ? {} : { sender_name: data.sender_name }),
  recipient: data.recipient,
  subject: data.subject,
  message_id_header: data.message_id_header,
});

const changeBy = (cause: EventEnvelope, data: Data): MessageChangedEvent => ({
  ...MessageChanged.make(data, { account_id: cause.account_id, trace: cause.trace }),
  id: cause.id,
});
