import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import { EVENT_TYPES, perEvent, type EventFlag } from './webhook-events.table.js';

// The bodies of webhook calls as the API document shows them (spec 2-messages §19). `event-payloads.rules.ts` writes them,
// and its tests read what it writes by these schemas.

const DeliveryAttempt = z
  .object({
    classification: z.string().optional().meta({ description: 'Of a failure; an open set.' }),
    smtp_code: z.number().int().meta({ description: '0: a text of ours, without a code.' }),
    enhanced_status_code: z.string().optional(),
    response: z.string().optional(),
    command: z.string().optional().meta({ description: 'The SMTP command that got the reply.' }),
  })
  .meta({ id: 'WebhookDeliveryAttempt', description: 'What the other server said.' });

const ofMessage = (flag: EventFlag) => ({
  account_id: z.uuid(),
  event: z.literal(flag),
  from: z.string().meta({ description: 'The address; of campaigns with the name before it.' }),
  recipient: z.string(),
  subject: z.string(),
  message_id_header: z.string().meta({ description: 'With angle brackets, as `id` of a send result.' }),
  id: z.string().meta({ description: 'Id of the message: 32 hexadecimal digits.' }),
  is_bot: z.boolean().meta({ description: 'Of opens and clicks; else false.' }),
});
const attempt = { delivery_attempt: DeliveryAttempt.optional() };
const fetch = { user_agent: z.string(), ip: z.string() };

const data: Readonly<Record<EventFlag, z.ZodObject>> = {
  on_reception: z.object(ofMessage('on_reception')),
  on_delivered: z.object({ ...ofMessage('on_delivered'), ...attempt }),
  on_transient_error: z.object({ ...ofMessage('on_transient_error'), ...attempt }),
  on_failed: z.object(ofMessage('on_failed')),
  on_bounced: z.object({ ...ofMessage('on_bounced'), ...attempt }),
  on_suppressed: z.object(ofMessage('on_suppressed')),
  on_opened: z.object({ ...ofMessage('on_opened'), ...fetch }),
  on_clicked: z.object({ ...ofMessage('on_clicked'), url: z.string(), ...fetch }),
  on_suppression_created: z.object({
    account_id: z.uuid(),
    recipient: z.string(),
    created_at: Timestamp,
    expires_at: Timestamp,
    reason: z.string(),
    sending_domain: z.string(),
  }),
  on_dns_error: z.object({
    domain: z.string(),
    account_id: z.uuid(),
    spf_valid: z.boolean(),
    dkim_valid: z.boolean(),
    dmarc_valid: z.boolean(),
    dns_last_checked_at: Timestamp,
  }),
};

/** `message.transient_error` is a `MessageTransientErrorEvent`. */
const nameOf = (flag: EventFlag): string =>
  `${EVENT_TYPES[flag]
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')}Event`;

/** The body of a call of each event. */
export const WEBHOOK_CALLS = perEvent((flag) =>
  z
    .object({
      type: z.literal(EVENT_TYPES[flag]),
      timestamp: Timestamp.meta({ description: 'When it happened.' }),
      webhook_id: z.uuid(),
      data: data[flag],
    })
    .meta({ id: nameOf(flag) }),
);
