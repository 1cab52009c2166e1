import type { Event, EventTable } from '../dialect.js';
import { createdAt, isBounce, isComplaint, isOfPerson, uuidOf, type MessageData } from '../event.schema.js';

type OfMessage = Event & { readonly data: MessageData };

const email = (type: string, { at, data }: OfMessage, more: object = {}) => ({
  type,
  created_at: at.toISOString(),
  data: {
    created_at: createdAt(data),
    email_id: uuidOf(data.id),
    message_id: data.message_id_header,
    from: data.from,
    to: [data.recipient],
    subject: data.subject,
    ...more,
  },
});

const fetched = ({ at, data }: OfMessage) => ({
  ipAddress: data.ip,
  timestamp: at.toISOString(),
  userAgent: data.user_agent,
});

const LATER_REPORT = 'a report of the mail host';

export const RESEND_EVENTS: EventTable = {
  'message.reception': {
    name: 'email.sent',
    words: 'at acceptance; not for inbound mail',
    payload: (event) => email('email.sent', event),
  },
  'message.delivered': { name: 'email.delivered', payload: (event) => email('email.delivered', event) },
  'message.transient_error': {
    name: 'email.delivery_delayed',
    words: 'each failed attempt that another one follows',
    payload: (event) => email('email.delivery_delayed', event),
  },
  'message.failed': {
    name: 'email.failed',
    payload: (event) => email('email.failed', event, { failed: { reason: 'expired' } }),
  },
  'message.bounced': {
    name: 'email.bounced',
    words: '`type` is `Permanent`',
    payload: (event) => {
      const message = event.data.delivery_attempt?.response ?? LATER_REPORT;
      return email('email.bounced', event, { bounce: { message, type: 'Permanent', subType: 'General' } });
    },
  },
  'message.suppressed': {
    name: 'email.suppressed',
    payload: (event) => {
      const message = 'The recipient is on the suppression list of the domain.';
      return email('email.suppressed', event, { suppressed: { message, type: 'OnAccountSuppressionList' } });
    },
  },
  'message.opened': {
    name: 'email.opened',
    words: 'not those of programs, which have no flag there',
    when: isOfPerson,
    payload: (event) => email('email.opened', event, { open: fetched(event) }),
  },
  'message.clicked': {
    name: 'email.clicked',
    words: 'not those of programs, which have no flag there',
    when: isOfPerson,
    payload: (event) => email('email.clicked', event, { click: { ...fetched(event), link: event.data.url } }),
  },
  'suppression.created': {
    name: 'suppression.added',
    words:
      '`origin` is `bounce`, `complaint` or, for all others, `manual`; complaints have no `email.complained`',
    payload: ({ at, data, messageId }) => ({
      type: 'suppression.added',
      created_at: at.toISOString(),
      data: {
        id: uuidOf(messageId),
        email: data.recipient,
        origin: isBounce(data) ? 'bounce' : isComplaint(data) ? 'complaint' : 'manual',
        source_id: null,
        created_at: new Date(data.created_at).toISOString(),
      },
    }),
  },
  'domain.dns_error': { unsent: '`domain.updated` has the whole domain, which our event does not' },
};
