import type { Schemas } from '../api/client';
import { t } from '../words/words';

type Webhook = Schemas['Webhook'];

/** The field of a webhook, and the type of the event that it is called for. */
export const EVENTS = [
  ['on_reception', 'message.reception'],
  ['on_delivered', 'message.delivered'],
  ['on_transient_error', 'message.transient_error'],
  ['on_failed', 'message.failed'],
  ['on_bounced', 'message.bounced'],
  ['on_suppressed', 'message.suppressed'],
  ['on_opened', 'message.opened'],
  ['on_clicked', 'message.clicked'],
  ['on_suppression_created', 'suppression.created'],
  ['on_dns_error', 'domain.dns_error'],
] as const;

export type EventField = (typeof EVENTS)[number][0];

export const eventsOf = (webhook: Webhook): string[] =>
  EVENTS.filter(([field]) => webhook[field]).map(([, type]) => type);

type Counters = Pick<
  Webhook,
  'enabled' | 'success_count' | 'error_count' | 'errors_since_last_success' | 'last_request_at'
>;

export interface Health {
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
  readonly label: string;
  readonly text: string;
}

/** The meaning of the counters. */
export function healthOf({
  enabled,
  errors_since_last_success: errors,
  success_count,
  last_request_at,
}: Counters): Health {
  if (!enabled) return { tone: 'bad', label: t.webhooks.disabled, text: t.webhooks.disabledText };
  if (last_request_at === null)
    return { tone: 'plain', label: t.webhooks.unused, text: t.webhooks.unusedText };
  if (errors > 0 && success_count === 0)
    return { tone: 'bad', label: t.webhooks.neverWorked, text: t.webhooks.failingText(errors) };
  if (errors > 0) return { tone: 'warn', label: t.webhooks.failing, text: t.webhooks.failingText(errors) };
  return { tone: 'good', label: t.webhooks.healthy, text: t.webhooks.healthyText };
}

/** The services whose form calls can have; ours is null. */
export const DIALECTS = [
  ['resend', 'Resend'],
  ['postmark', 'Postmark'],
  ['sendgrid', 'SendGrid'],
  ['mailgun', 'Mailgun'],
] as const;

export const dialectTitle = (dialect: string | null): string =>
  DIALECTS.find(([name]) => name === dialect)?.[1] ?? t.webhooks.ours;
