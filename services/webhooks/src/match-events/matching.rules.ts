import type { WebhookEntity } from '../database/webhook.entity.js';
import type { PublicEvent } from '../webhook-events/event-payloads.rules.js';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';

/** An enabled webhook, as far as matching and calling need it. */
export type Listener = Pick<
  WebhookEntity,
  'id' | 'account_id' | 'updated_at' | 'url' | 'scope' | 'domains' | EventFlag
>;

/** One webhook is to be told of one event. */
export interface PlannedCall {
  listener: Listener;
  event: PublicEvent;
  trace: string | null;
}

/** Flag set, and scope global or the event's domain among the webhook's (spec 2-messages §18.12). */
export function wants(listener: Listener, flag: EventFlag, domain: string): boolean {
  return listener[flag] && (listener.scope === 'global' || listener.domains.includes(domain));
}
