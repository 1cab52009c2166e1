import type { Event, EventTable } from '../dialect.js';
import { addressOf, isBounce, isComplaint, isOfPerson, uuidOf, type MessageData } from '../event.schema.js';

type OfMessage = Event & { readonly data: MessageData };

const COMMON = { ServerID: 0, MessageStream: 'outbound', Tag: '', Metadata: {} };
const NO_MESSAGE = '00000000-0000-0000-0000-000000000000';
const NUMBER_DIGITS = 12;

const record = (RecordType: string, { data }: OfMessage, more: object) => ({
  RecordType,
  ...COMMON,
  MessageID: uuidOf(data.id),
  ...more,
});

/** Their types of bounces, with name and number. */
const BOUNCES = {
  HardBounce: [1, 'Hard bounce', 'The server was unable to deliver your message (ex: unknown user).'],
  Transient: [2, 'Message delayed', 'The server could not temporarily deliver your message.'],
  SoftBounce: [4096, 'Soft bounce', 'Unable to temporarily deliver message.'],
  DMARCPolicy: [100009, 'DMARC Policy', 'Email rejected due to DMARC Policy.'],
  Blocked: [100006, 'ISP block', 'Blocked from this ISP due to content or blacklisting.'],
} as const;

/** Classes of bounces that are no fault of the address; all others are hard. */
const TYPES: Readonly<Record<string, keyof typeof BOUNCES>> = {
  PolicyRelated: 'Blocked',
  AuthenticationFailed: 'DMARCPolicy',
};

function bounce(Type: keyof typeof BOUNCES, event: OfMessage): object {
  const [TypeCode, Name, Description] = BOUNCES[Type];
  const { data, at, messageId } = event;
  return record('Bounce', event, {
    // random digits of the id, within the integers of JSON
    ID: Number.parseInt(messageId.slice(-NUMBER_DIGITS), 16),
    Type,
    TypeCode,
    Name,
    Description,
    Details: detailsOf(data),
    Email: data.recipient,
    From: addressOf(data.from),
    BouncedAt: at.toISOString(),
    DumpAvailable: false,
    Inactive: false,
    CanActivate: false,
    Subject: data.subject,
  });
}

const detailsOf = ({ delivery_attempt: attempt }: MessageData): string =>
  attempt
    ? [attempt.smtp_code, attempt.enhanced_status_code, attempt.response].filter(Boolean).join(' ')
    : '';

const fetched = ({ at, data }: OfMessage) => ({
  ReceivedAt: at.toISOString(),
  Recipient: data.recipient,
  UserAgent: data.user_agent,
  Platform: 'Unknown',
  Client: {},
  OS: {},
  Geo: { IP: data.ip },
});

export const POSTMARK_EVENTS: EventTable = {
  'message.reception': { unsent: 'there is no event of acceptance' },
  'message.delivered': {
    name: 'Delivery',
    payload: (event) =>
      record('Delivery', event, {
        Recipient: event.data.recipient,
        DeliveredAt: event.at.toISOString(),
        Details: detailsOf(event.data),
      }),
  },
  'message.transient_error': {
    name: 'Bounce',
    words: '`Type` is `Transient`',
    payload: (event) => bounce('Transient', event),
  },
  'message.failed': {
    name: 'Bounce',
    words: '`Type` is `SoftBounce`',
    payload: (event) => bounce('SoftBounce', event),
  },
  'message.bounced': {
    name: 'Bounce',
    words:
      '`Type` is `HardBounce`, `Blocked` or `DMARCPolicy`, `Inactive` is false: suppressions have their own event',
    payload: (event) =>
      bounce(TYPES[event.data.delivery_attempt?.classification ?? ''] ?? 'HardBounce', event),
  },
  'message.suppressed': { unsent: 'theirs refuses the send with an error, and has no event' },
  'message.opened': {
    name: 'Open',
    words:
      'not those of programs, which have no flag there; `FirstOpen` is false, `Client`, `OS` and places are empty',
    when: isOfPerson,
    payload: (event) => record('Open', event, { ...fetched(event), FirstOpen: false, ReadSeconds: 0 }),
  },
  'message.clicked': {
    name: 'Click',
    words: 'not those of programs, which have no flag there; `ClickLocation` is `HTML`',
    when: isOfPerson,
    payload: (event) =>
      record('Click', event, { ...fetched(event), ClickLocation: 'HTML', OriginalLink: event.data.url }),
  },
  'suppression.created': {
    name: 'SubscriptionChange',
    words: '`SuppressionReason` is `HardBounce`, `SpamComplaint` or, for all others, `ManualSuppression`',
    payload: ({ data }) => ({
      RecordType: 'SubscriptionChange',
      ...COMMON,
      MessageID: NO_MESSAGE,
      ChangedAt: new Date(data.created_at).toISOString(),
      Recipient: data.recipient,
      Origin: 'Recipient',
      SuppressSending: true,
      SuppressionReason: isBounce(data)
        ? 'HardBounce'
        : isComplaint(data)
          ? 'SpamComplaint'
          : 'ManualSuppression',
    }),
  },
  'domain.dns_error': { unsent: 'there are no events of domains' },
};
