import type { Event, EventTable } from '../dialect.js';
import { addressOf, withoutBrackets, type MessageData } from '../event.schema.js';

type OfMessage = Event & { readonly data: MessageData };

const event = (name: string, level: string, { at, data, messageId }: OfMessage, more: object = {}) => ({
  event: name,
  id: messageId,
  timestamp: at.getTime() / 1_000,
  'log-level': level,
  recipient: data.recipient,
  'recipient-domain': data.recipient.slice(data.recipient.lastIndexOf('@') + 1),
  envelope: { sender: addressOf(data.from), targets: data.recipient, transport: 'smtp' },
  message: {
    headers: {
      'message-id': withoutBrackets(data.message_id_header),
      from: data.from,
      to: data.recipient,
      subject: data.subject,
    },
    attachments: [],
    size: 0,
  },
  flags: { 'is-routed': false, 'is-authenticated': true, 'is-system-test': false, 'is-test-mode': false },
  tags: [],
  campaigns: [],
  'user-variables': {},
  ...more,
});

const statusOf = ({ delivery_attempt: attempt }: MessageData) => ({
  code: attempt?.smtp_code ?? 0,
  'enhanced-code': attempt?.enhanced_status_code ?? '',
  message: attempt?.response ?? '',
  description: '',
});

const failed = (severity: 'temporary' | 'permanent', reason: string, given: OfMessage, status: object) =>
  event('failed', severity === 'temporary' ? 'warn' : 'error', given, {
    severity,
    reason,
    'delivery-status': status,
  });

const fetched = ({ ip, user_agent, is_bot }: MessageData) => ({
  ip,
  'client-info': { 'user-agent': user_agent, bot: is_bot ? 'generic' : '' },
});

const WITH_BOTS = 'those of programs have `client-info.bot`; places and clients are left out';

export const MAILGUN_EVENTS: EventTable = {
  'message.reception': {
    name: 'accepted',
    words: 'not for inbound mail',
    payload: (given) => event('accepted', 'info', given),
  },
  'message.delivered': {
    name: 'delivered',
    payload: (given) => event('delivered', 'info', given, { 'delivery-status': statusOf(given.data) }),
  },
  'message.transient_error': {
    name: 'failed',
    words: '`severity` is `temporary`',
    payload: (given) => failed('temporary', 'generic', given, statusOf(given.data)),
  },
  'message.failed': {
    name: 'failed',
    words: '`severity` is `permanent`, `reason` is `old`',
    payload: (given) => failed('permanent', 'old', given, { code: 602, message: 'Too old', description: '' }),
  },
  'message.bounced': {
    name: 'failed',
    words: '`severity` is `permanent`, `reason` is `bounce`',
    payload: (given) => failed('permanent', 'bounce', given, statusOf(given.data)),
  },
  'message.suppressed': {
    name: 'failed',
    words: '`severity` is `permanent`, `reason` is `suppress-bounce`, whatever the entry says',
    payload: (given) =>
      failed('permanent', 'suppress-bounce', given, {
        code: 605,
        message: '',
        description: 'Not delivering to a suppressed address',
      }),
  },
  'message.opened': {
    name: 'opened',
    words: WITH_BOTS,
    payload: (given) => event('opened', 'info', given, fetched(given.data)),
  },
  'message.clicked': {
    name: 'clicked',
    words: WITH_BOTS,
    payload: (given) => event('clicked', 'info', given, { ...fetched(given.data), url: given.data.url }),
  },
  'suppression.created': {
    unsent: '`complained` and `unsubscribed` have the message, which our event does not',
  },
  'domain.dns_error': { unsent: 'there are no events of domains' },
};
