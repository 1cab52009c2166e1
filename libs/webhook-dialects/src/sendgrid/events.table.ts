import { seconds, type Event, type EventTable } from '../dialect.js';
import {
  isComplaint,
  isOfPerson,
  isUnsubscribe,
  uuidOf,
  type MessageData,
  type SuppressionData,
} from '../event.schema.js';

const named = (event: string, { at, data, messageId }: Event & { data: { recipient: string } }) => ({
  email: data.recipient,
  timestamp: seconds(at),
  event,
  sg_event_id: messageId,
});

const ofMessage = (event: string, given: Event & { data: MessageData }, more: object = {}) => ({
  ...named(event, given),
  'smtp-id': given.data.message_id_header,
  sg_message_id: uuidOf(given.data.id),
  ...more,
});

const responseOf = ({ delivery_attempt: attempt }: MessageData): string =>
  attempt
    ? [attempt.smtp_code, attempt.enhanced_status_code, attempt.response].filter(Boolean).join(' ')
    : '';

const fetched = ({ ip, user_agent }: MessageData) => ({ ip, useragent: user_agent });

/** Their classes of bounces; all others are `Unclassified`. */
const CLASSES: Readonly<Record<string, string>> = {
  InvalidRecipient: 'Invalid Address',
  BadDomain: 'Invalid Address',
  InactiveMailbox: 'Mailbox Unavailable',
  QuotaIssues: 'Mailbox Unavailable',
  NoAnswerFromHost: 'Technical',
  BadConnection: 'Technical',
  DNSFailure: 'Technical',
  RoutingErrors: 'Technical',
  ProtocolErrors: 'Technical',
  AuthenticationFailed: 'Technical',
  PolicyRelated: 'Reputation',
};

/** Theirs are `blocked` where the address itself is not at fault. */
const OF_ADDRESS = new Set(['Invalid Address', 'Mailbox Unavailable', 'Unclassified']);

const isAsked = (data: SuppressionData): boolean => isComplaint(data) || isUnsubscribe(data);

export const SENDGRID_EVENTS: EventTable = {
  'message.reception': {
    name: 'processed',
    words: 'not for inbound mail',
    payload: (event) => ofMessage('processed', event),
  },
  'message.delivered': {
    name: 'delivered',
    payload: (event) => ofMessage('delivered', event, { response: responseOf(event.data) }),
  },
  'message.transient_error': {
    name: 'deferred',
    words: 'without `attempt`',
    payload: (event) => ofMessage('deferred', event, { response: responseOf(event.data) }),
  },
  'message.failed': {
    name: 'bounce',
    words: '`type` is `blocked`, `reason` says that the time is over',
    payload: (event) =>
      ofMessage('bounce', event, {
        reason: 'The time of the message was over before a server accepted it',
        status: '4.4.7',
        type: 'blocked',
        bounce_classification: 'Technical',
      }),
  },
  'message.bounced': {
    name: 'bounce',
    words: '`type` is `blocked` where the class says that the address is not at fault',
    payload: (event) => {
      const attempt = event.data.delivery_attempt;
      const bounce_classification = CLASSES[attempt?.classification ?? ''] ?? 'Unclassified';
      return ofMessage('bounce', event, {
        reason: responseOf(event.data),
        status: attempt?.enhanced_status_code ?? '5.0.0',
        type: OF_ADDRESS.has(bounce_classification) ? 'bounce' : 'blocked',
        bounce_classification,
      });
    },
  },
  'message.suppressed': {
    name: 'dropped',
    words: '`reason` is `Suppressed Address`, whatever the entry says',
    payload: (event) => ofMessage('dropped', event, { reason: 'Suppressed Address', status: '5.0.0' }),
  },
  'message.opened': {
    name: 'open',
    words: 'those of programs have `sg_machine_open`',
    payload: (event) =>
      ofMessage('open', event, { ...fetched(event.data), sg_machine_open: event.data.is_bot }),
  },
  'message.clicked': {
    name: 'click',
    words: 'not those of programs, which have no flag there',
    when: isOfPerson,
    payload: (event) => ofMessage('click', event, { ...fetched(event.data), url: event.data.url }),
  },
  'suppression.created': {
    name: 'spamreport, unsubscribe',
    words: 'for complaints and unsubscribes, without the ids of a message; not for other suppressions',
    when: isAsked,
    payload: (event) => named(isComplaint(event.data) ? 'spamreport' : 'unsubscribe', event),
  },
  'domain.dns_error': { unsent: 'there are no events of domains' },
};
