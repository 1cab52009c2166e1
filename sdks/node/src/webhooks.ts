import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookVerificationError } from './errors.ts';
import type {
  DomainDnsErrorEvent,
  MessageBouncedEvent,
  MessageClickedEvent,
  MessageDeliveredEvent,
  MessageFailedEvent,
  MessageOpenedEvent,
  MessageReceptionEvent,
  MessageSuppressedEvent,
  MessageTransientErrorEvent,
  RouteCall,
  SuppressionCreatedEvent,
} from './generated/types.gen.ts';

/** By `type`. A newer server may send others: let a `default` pass. */
export type WebhookEvent =
  | DomainDnsErrorEvent
  | MessageBouncedEvent
  | MessageClickedEvent
  | MessageDeliveredEvent
  | MessageFailedEvent
  | MessageOpenedEvent
  | MessageReceptionEvent
  | MessageSuppressedEvent
  | MessageTransientErrorEvent
  | RouteCall
  | SuppressionCreatedEvent;

export interface WebhookCall {
  /** As it was handed out when the webhook or route was made, prefix included. */
  readonly secret: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes that arrived, before any JSON parser. */
  readonly body: string | Uint8Array;
  /** How far the call's timestamp may be from now. 300 unless given. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970. */
  readonly now?: number;
}

/**
 * Checks signature and timestamp of a webhook or route call. The same `webhook-id` may come again: take it once.
 * @throws WebhookVerificationError: answer with 400
 */
export function verifyWebhook(call: WebhookCall): WebhookEvent {
  const { secret, headers, body, toleranceSeconds = 300, now = Date.now() } = call;
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  if (!secret) throw new WebhookVerificationError('the secret is empty');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is no number');
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError(`webhook-timestamp is more than ${toleranceSeconds} seconds away`);
  }
  const wanted = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
  const isSigned = header(headers, 'webhook-signature')
    .split(' ')
    .map((signature) => /^v1,([A-Za-z0-9+/]+=*)$/.exec(signature)?.[1] ?? '')
    .map((signature) => Buffer.from(signature, 'base64'))
    .some((signature) => signature.length === wanted.length && timingSafeEqual(signature, wanted));
  if (!isSigned) throw new WebhookVerificationError('webhook-signature does not fit');
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  return JSON.parse(text) as WebhookEvent;
}

function header(headers: WebhookCall['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError(`the header ${name} is missing`);
  }
  return value;
}
