import { newId } from '@postmesh/contracts';
import type { MessageChangedEvent } from '@postmesh/messages-contract';
import type { WebhookEntity } from '../database/webhook.entity.js';
import { changeOf, dnsErrorOf, receptionOfInbound, suppressionCreatedOf } from './event-payloads.rules.js';
import type { PublicEvent } from './event-payloads.rules.js';
import type { EventFlag } from './webhook-events.table.js';

const DAY_MS = 86_400_000;

/**
 * A sample of an event for this webhook: of one of its domains, for a message that does not exist (spec 2-messages
 * §21).
 */
export function sampleEvent(
  flag: EventFlag,
  { account_id, domains: [domain = 'example.com'] }: Pick<WebhookEntity, 'account_id' | 'domains'>,
  now: Date,
): PublicEvent {
  const at = now.toISOString();
  return SAMPLES[flag]({ accountId: account_id, domain, at, message: sampleMessage(domain) });
}

interface Sample {
  accountId: string;
  domain: string;
  at: string;
  message: ReturnType<typeof sampleMessage>;
}

function sampleMessage(domain: string) {
  const id = newId();
  return {
    message_id: id,
    domain,
    sender: `sender@${domain}`,
    recipient: 'recipient@example.com',
    subject: 'A sample message',
    message_id_header: `<${id}@${domain}>`,
  };
}

const FETCH = { user_agent: 'Mozilla/5.0', ip: '192.0.2.1', is_bot: false };

const SAMPLES: Readonly<Record<EventFlag, (sample: Sample) => PublicEvent>> = {
  on_reception: ({ accountId, message, at }) =>
    receptionOfInbound(
      accountId,
      { ...message, received_at: at },
      { id: message.message_id, email: message.recipient },
    ),
  on_delivered: (sample) =>
    changed(sample, 'delivered', {
      reply: {
        smtp_code: 250,
        enhanced_status_code: '2.0.0',
        response: 'OK queued',
        command: 'DATA',
      },
    }),
  on_transient_error: (sample) =>
    changed(sample, 'deferred', {
      reply: {
        classification: 'QuotaIssues',
        smtp_code: 452,
        enhanced_status_code: '4.2.2',
        response: 'mailbox full',
        command: 'RCPT TO',
      },
    }),
  on_failed: (sample) => changed(sample, 'failed'),
  on_bounced: (sample) =>
    changed(sample, 'bounced', {
      reply: {
        classification: 'InvalidRecipient',
        smtp_code: 550,
        enhanced_status_code: '5.1.1',
        response: 'no such user',
        command: 'RCPT TO',
      },
    }),
  on_suppressed: (sample) => changed(sample, 'suppressed'),
  on_opened: (sample) => changed(sample, 'opened', { fetch: FETCH }),
  on_clicked: (sample) =>
    changed(sample, 'clicked', { fetch: { url: 'https://example.com/sample', ...FETCH } }),
  on_suppression_created: ({ accountId, domain, at }) =>
    suppressionCreatedOf(accountId, {
      recipient: 'recipient@example.com',
      domain,
      reason: 'Too many hard bounces',
      created_at: at,
      expires_at: new Date(Date.parse(at) + 30 * DAY_MS).toISOString(),
    }),
  on_dns_error: ({ accountId, domain, at }) =>
    dnsErrorOf({
      domain_id: newId(),
      domain,
      account_id: accountId,
      spf_valid: true,
      dkim_valid: false,
      dmarc_valid: true,
      dns_last_checked_at: at,
    }),
};

function changed(
  { accountId, message, at }: Sample,
  change: MessageChangedEvent['data']['change'],
  about: Pick<MessageChangedEvent['data'], 'reply' | 'fetch'> = {},
): PublicEvent {
  const data = { ...message, ...about, change, changed_at: at };
  const [event] = changeOf({ account_id: accountId, data });
  if (!event) throw new Error(`${change} is no event for customers`);
  return event;
}
