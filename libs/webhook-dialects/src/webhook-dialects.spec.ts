import type { WebhookEventPayload } from 'resend';
import { describe, expect, it } from 'vitest';
import { callInDialect, dialectOf, hasCounterpart, WEBHOOK_DIALECT_NAMES } from './webhook-dialects.js';
import type { WebhookDialectName } from './webhook-dialects.js';
import { webhookDialectsReference } from './webhook-dialects-reference.js';

const MESSAGE = {
  account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  from: 'Shop <news@shop.test>',
  recipient: 'ann@mail.test',
  subject: 'Your order',
  message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
  id: '01980f3e5b7a7c11a2d40c5f9e6b8a01',
  is_bot: false,
};
const FETCH = { url: 'https://shop.test/o/17', user_agent: 'Mozilla/5.0', ip: '198.51.100.7' };
const REJECTED = {
  classification: 'InvalidRecipient',
  smtp_code: 550,
  enhanced_status_code: '5.1.1',
  response: 'no such user',
  command: 'RCPT TO',
};
const SUPPRESSION = {
  account_id: MESSAGE.account_id,
  recipient: 'gone@mail.test',
  created_at: '2026-01-05T08:00:03Z',
  expires_at: '2026-02-04T08:00:03Z',
  reason: 'Too many hard bounces',
  sending_domain: 'shop.test',
};
const UUID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
const ID = 'msg_01980f3f00007abc8def0123456789ab';

const EVENTS = {
  reception: { type: 'message.reception', data: MESSAGE },
  delivered: {
    type: 'message.delivered',
    data: {
      ...MESSAGE,
      delivery_attempt: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1' },
    },
  },
  deferred: {
    type: 'message.transient_error',
    data: {
      ...MESSAGE,
      delivery_attempt: { classification: 'QuotaIssues', smtp_code: 452, response: 'mailbox full' },
    },
  },
  failed: { type: 'message.failed', data: MESSAGE },
  bounced: { type: 'message.bounced', data: { ...MESSAGE, delivery_attempt: REJECTED } },
  'reported later': { type: 'message.bounced', data: MESSAGE },
  suppressed: { type: 'message.suppressed', data: MESSAGE },
  opened: { type: 'message.opened', data: { ...MESSAGE, ...FETCH } },
  'opened by a program': { type: 'message.opened', data: { ...MESSAGE, ...FETCH, is_bot: true } },
  clicked: { type: 'message.clicked', data: { ...MESSAGE, ...FETCH } },
  'clicked by a program': { type: 'message.clicked', data: { ...MESSAGE, ...FETCH, is_bot: true } },
  'suppressed by bounces': { type: 'suppression.created', data: SUPPRESSION },
  complained: { type: 'suppression.created', data: { ...SUPPRESSION, reason: 'FBL Complaint Report' } },
  unsubscribed: { type: 'suppression.created', data: { ...SUPPRESSION, reason: 'Unsubscribed' } },
  'dns error': { type: 'domain.dns_error', data: { domain: 'shop.test' } },
} as const;
type EventName = keyof typeof EVENTS;

/** The event of a call, without its signature; undefined when nothing is sent. */
function received(name: WebhookDialectName, event: EventName): unknown {
  const { type, data } = EVENTS[event];
  if (!hasCounterpart(name, { type, data })) return undefined;
  const body = JSON.stringify({ type, timestamp: '2026-01-05T08:00:02.5Z', webhook_id: UUID, data });
  const secret = dialectOf(name).secrets?.make() ?? '';
  const sent = JSON.parse(
    callInDialect(name, { body, messageId: ID, at: new Date(), secret }).body.toString(),
  );
  if (name === 'sendgrid') return sent[0];
  return name === 'mailgun' ? sent['event-data'] : sent;
}

/** The name of each event in a dialect, and fields of its own; undefined: it is not sent. */
const WANTED: Readonly<Record<WebhookDialectName, Readonly<Record<EventName, object | undefined>>>> = {
  resend: {
    reception: { type: 'email.sent' },
    delivered: { type: 'email.delivered' },
    deferred: { type: 'email.delivery_delayed' },
    failed: { type: 'email.failed', data: { failed: { reason: 'expired' } } },
    bounced: { type: 'email.bounced', data: { bounce: { type: 'Permanent', message: 'no such user' } } },
    'reported later': { type: 'email.bounced', data: { bounce: { message: 'a report of the mail host' } } },
    suppressed: { type: 'email.suppressed' },
    opened: { type: 'email.opened' },
    'opened by a program': undefined,
    clicked: { type: 'email.clicked', data: { click: { link: FETCH.url, ipAddress: FETCH.ip } } },
    'clicked by a program': undefined,
    'suppressed by bounces': {
      type: 'suppression.added',
      data: { email: 'gone@mail.test', origin: 'bounce', id: '01980f3f-0000-7abc-8def-0123456789ab' },
    },
    complained: { type: 'suppression.added', data: { origin: 'complaint' } },
    unsubscribed: { type: 'suppression.added', data: { origin: 'manual' } },
    'dns error': undefined,
  },
  postmark: {
    reception: undefined,
    delivered: { RecordType: 'Delivery', Recipient: 'ann@mail.test', Details: '250 2.0.0 queued as 7F1' },
    deferred: { RecordType: 'Bounce', Type: 'Transient', TypeCode: 2 },
    failed: { RecordType: 'Bounce', Type: 'SoftBounce', TypeCode: 4096 },
    bounced: {
      RecordType: 'Bounce',
      Type: 'HardBounce',
      TypeCode: 1,
      Email: 'ann@mail.test',
      From: 'news@shop.test',
      Details: '550 5.1.1 no such user',
      ID: 0x0123456789ab,
    },
    'reported later': { RecordType: 'Bounce', Type: 'HardBounce', Details: '' },
    suppressed: undefined,
    opened: { RecordType: 'Open', UserAgent: 'Mozilla/5.0', Geo: { IP: FETCH.ip } },
    'opened by a program': undefined,
    clicked: { RecordType: 'Click', OriginalLink: FETCH.url },
    'clicked by a program': undefined,
    'suppressed by bounces': {
      RecordType: 'SubscriptionChange',
      Recipient: 'gone@mail.test',
      SuppressionReason: 'HardBounce',
    },
    complained: { SuppressionReason: 'SpamComplaint' },
    unsubscribed: { SuppressionReason: 'ManualSuppression', SuppressSending: true },
    'dns error': undefined,
  },
  sendgrid: {
    reception: { event: 'processed' },
    delivered: { event: 'delivered', response: '250 2.0.0 queued as 7F1' },
    deferred: { event: 'deferred', response: '452 mailbox full' },
    failed: { event: 'bounce', type: 'blocked' },
    bounced: {
      event: 'bounce',
      type: 'bounce',
      status: '5.1.1',
      reason: '550 5.1.1 no such user',
      bounce_classification: 'Invalid Address',
    },
    'reported later': { event: 'bounce', type: 'bounce', bounce_classification: 'Unclassified' },
    suppressed: { event: 'dropped' },
    opened: { event: 'open', useragent: 'Mozilla/5.0', ip: FETCH.ip, sg_machine_open: false },
    'opened by a program': { event: 'open', sg_machine_open: true },
    clicked: { event: 'click', url: FETCH.url },
    'clicked by a program': undefined,
    'suppressed by bounces': undefined,
    complained: { event: 'spamreport', email: 'gone@mail.test' },
    unsubscribed: { event: 'unsubscribe', email: 'gone@mail.test' },
    'dns error': undefined,
  },
  mailgun: {
    reception: { event: 'accepted' },
    delivered: { event: 'delivered', 'delivery-status': { code: 250, message: 'queued as 7F1' } },
    deferred: { event: 'failed', severity: 'temporary', 'delivery-status': { code: 452 } },
    failed: { event: 'failed', severity: 'permanent', reason: 'old' },
    bounced: { event: 'failed', severity: 'permanent', reason: 'bounce', 'delivery-status': { code: 550 } },
    'reported later': { event: 'failed', severity: 'permanent', 'delivery-status': { code: 0 } },
    suppressed: { event: 'failed', severity: 'permanent', reason: 'suppress-bounce' },
    opened: { event: 'opened', ip: FETCH.ip, 'client-info': { 'user-agent': 'Mozilla/5.0', bot: '' } },
    'opened by a program': { event: 'opened', 'client-info': { bot: 'generic' } },
    clicked: { event: 'clicked', url: FETCH.url },
    'clicked by a program': { event: 'clicked', 'client-info': { bot: 'generic' } },
    'suppressed by bounces': undefined,
    complained: undefined,
    unsubscribed: undefined,
    'dns error': undefined,
  },
};

describe.each(WEBHOOK_DIALECT_NAMES)('%s', (name) => {
  it.each(Object.keys(EVENTS) as EventName[])('%s', (event) => {
    const wanted = WANTED[name][event];
    if (wanted === undefined) expect(received(name, event)).toBeUndefined();
    else expect(received(name, event)).toMatchObject(wanted);
  });

  it('leaves out an event of a later release, and one of an unknown form', () => {
    expect(hasCounterpart(name, { type: 'message.teleported', data: MESSAGE })).toBe(false);
    expect(hasCounterpart(name, { type: 'message.delivered', data: {} })).toBe(false);
  });

  it('is the same on every retry but for time and signature', () => {
    expect(received(name, 'bounced')).toEqual(received(name, 'bounced'));
  });

  it('is in the reference with every event', () => {
    const [, section = ''] = webhookDialectsReference().split(`### Calls of ${dialectOf(name).title}\n`);
    for (const type of Object.keys(dialectOf(name).events)) expect(section).toContain(`| \`${type}\` | `);
  });
});

it('has the whole payload of a delivery in each dialect', () => {
  const ofResend = {
    type: 'email.delivered',
    created_at: '2026-01-05T08:00:02.500Z',
    data: {
      created_at: '2025-07-15T18:00:01.658Z',
      email_id: UUID,
      message_id: MESSAGE.message_id_header,
      from: MESSAGE.from,
      to: ['ann@mail.test'],
      subject: 'Your order',
    },
  } satisfies WebhookEventPayload;
  expect(received('resend', 'delivered')).toEqual(ofResend);
  expect(received('postmark', 'delivered')).toEqual({
    RecordType: 'Delivery',
    ServerID: 0,
    MessageStream: 'outbound',
    Tag: '',
    Metadata: {},
    MessageID: UUID,
    Recipient: 'ann@mail.test',
    DeliveredAt: '2026-01-05T08:00:02.500Z',
    Details: '250 2.0.0 queued as 7F1',
  });
  expect(received('sendgrid', 'delivered')).toEqual({
    email: 'ann@mail.test',
    timestamp: 1_767_600_002,
    event: 'delivered',
    sg_event_id: ID,
    sg_message_id: UUID,
    'smtp-id': MESSAGE.message_id_header,
    response: '250 2.0.0 queued as 7F1',
  });
  expect(received('mailgun', 'delivered')).toMatchObject({
    event: 'delivered',
    id: ID,
    timestamp: 1_767_600_002.5,
    'log-level': 'info',
    recipient: 'ann@mail.test',
    'recipient-domain': 'mail.test',
    envelope: { sender: 'news@shop.test', targets: 'ann@mail.test', transport: 'smtp' },
    message: {
      headers: {
        'message-id': `${UUID}@shop.test`,
        from: MESSAGE.from,
        to: 'ann@mail.test',
        subject: 'Your order',
      },
    },
  });
});
