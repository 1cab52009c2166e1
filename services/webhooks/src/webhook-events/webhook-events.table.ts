import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';

/** A public event of webhooks (spec 2-messages §19). */
interface WebhookEvent {
  /** the public type */
  type: string;
  /** for the API document: the occurrence, and when a call is made */
  summary: string;
  description: string;
  /** `data` of the call, written by `event-payloads.rules.ts`, whose tests parse its output with these schemas */
  data: z.ZodObject;
}

const DeliveryAttempt = z
  .object({
    classification: z.string().optional().meta({ description: 'The class of a failure; an open set.' }),
    smtp_code: z.number().int().meta({ description: '0: a text of Postmesh, without an SMTP code.' }),
    enhanced_status_code: z.string().optional(),
    response: z.string().optional(),
    command: z.string().optional().meta({ description: 'The SMTP command that got the reply.' }),
  })
  .meta({ id: 'WebhookDeliveryAttempt', description: 'What the other server said.' });

const ofMessage = (flag: string, more: z.ZodRawShape = {}) =>
  z.object({
    account_id: z.uuid(),
    event: z.literal(flag),
    from: z.string().meta({ description: 'The address; for campaigns with the name before it.' }),
    recipient: z.string(),
    subject: z.string(),
    message_id_header: z.string().meta({ description: 'With angle brackets, like `id` of a send result.' }),
    id: z.string().meta({ description: 'Id of the message: 32 hexadecimal digits.' }),
    is_bot: z.boolean().meta({ description: 'For opens and clicks; otherwise false.' }),
    ...more,
  });
const attempt = { delivery_attempt: DeliveryAttempt.optional() };
const fetch = { user_agent: z.string(), ip: z.string() };

/**
 * The events by the flag that turns them on. Request bodies, filters, resource, matching and the API document derive
 * from this table; `sample-events.rules.ts` does not compile without a sample of each.
 */
export const WEBHOOK_EVENTS = {
  on_reception: {
    type: 'message.reception',
    summary: 'A message was received',
    description: 'The message is stored and queued, or has arrived. The first event of each message.',
    data: ofMessage('on_reception'),
  },
  on_delivered: {
    type: 'message.delivered',
    summary: 'A message was delivered',
    description: 'The receiving server has accepted the message.',
    data: ofMessage('on_delivered', attempt),
  },
  on_transient_error: {
    type: 'message.transient_error',
    summary: 'A message was deferred',
    description: 'An attempt failed temporarily, and another one follows.',
    data: ofMessage('on_transient_error', attempt),
  },
  on_failed: {
    type: 'message.failed',
    summary: 'A message failed',
    description: 'The time of the message was over before a server accepted it.',
    data: ofMessage('on_failed'),
  },
  on_bounced: {
    type: 'message.bounced',
    summary: 'A message bounced',
    description:
      'The message was rejected permanently, or a later report says so; then there is no `delivery_attempt`.',
    data: ofMessage('on_bounced', attempt),
  },
  on_suppressed: {
    type: 'message.suppressed',
    summary: 'A message was suppressed',
    description: 'The recipient is suppressed for the domain, so no attempt was made.',
    data: ofMessage('on_suppressed'),
  },
  on_opened: {
    type: 'message.opened',
    summary: 'A message was opened',
    description: 'Each request for the pixel, by people or bots.',
    data: ofMessage('on_opened', fetch),
  },
  on_clicked: {
    type: 'message.clicked',
    summary: 'A link was clicked',
    description: 'Each request for a tracked link, by people or bots.',
    data: ofMessage('on_clicked', { url: z.string(), ...fetch }),
  },
  on_suppression_created: {
    type: 'suppression.created',
    summary: 'A suppression was created',
    description: 'Mail from the domain to the address stops.',
    data: z.object({
      account_id: z.uuid(),
      recipient: z.string(),
      created_at: Timestamp,
      expires_at: Timestamp,
      reason: z.string(),
      sending_domain: z.string(),
    }),
  },
  on_dns_error: {
    type: 'domain.dns_error',
    summary: 'A domain lost its valid DNS',
    description:
      'A domain that could send no longer can. Sent once, and again only after it was valid in between.',
    data: z.object({
      domain: z.string(),
      account_id: z.uuid(),
      spf_valid: z.boolean(),
      dkim_valid: z.boolean(),
      dmarc_valid: z.boolean(),
      dns_last_checked_at: Timestamp,
    }),
  },
} as const satisfies Record<string, WebhookEvent>;

export type EventFlag = keyof typeof WEBHOOK_EVENTS;
export const EVENT_FLAGS = Object.keys(WEBHOOK_EVENTS) as EventFlag[];

/** One value per event, in the order of the table. */
export function perEvent<T>(valueOf: (flag: EventFlag) => T): Record<EventFlag, T> {
  return Object.fromEntries(EVENT_FLAGS.map((flag) => [flag, valueOf(flag)])) as Record<EventFlag, T>;
}

/** The public types, in the order of the table. */
export const EVENT_TYPES = EVENT_FLAGS.map((flag) => WEBHOOK_EVENTS[flag].type);

/** The body of a call of each event. */
export const WEBHOOK_CALLS = perEvent((flag) => {
  const { type, data } = WEBHOOK_EVENTS[flag];
  return z
    .object({
      type: z.literal(type),
      timestamp: Timestamp.meta({ description: 'When it happened.' }),
      webhook_id: z.uuid(),
      data,
    })
    .meta({ id: schemaNameOf(type) });
});

/** `message.transient_error` is a `MessageTransientErrorEvent`. */
function schemaNameOf(type: string): string {
  const words = type.split(/[._]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}
