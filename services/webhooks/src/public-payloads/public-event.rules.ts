/** The flag by which a webhook subscribes, and the public type that it then gets (spec 2-messages §19). */
export const EVENT_TYPES = {
  on_reception: 'message.reception',
  on_delivered: 'message.delivered',
  on_transient_error: 'message.transient_error',
  on_failed: 'message.failed',
  on_bounced: 'message.bounced',
  on_suppressed: 'message.suppressed',
  on_opened: 'message.opened',
  on_clicked: 'message.clicked',
  on_suppression_created: 'suppression.created',
  on_dns_error: 'domain.dns_error',
} as const;

export type EventFlag = keyof typeof EVENT_TYPES;
export const EVENT_FLAGS = Object.keys(EVENT_TYPES) as EventFlag[];

/** Something that customers can hear about, not yet addressed to a webhook. */
export interface PublicEvent {
  flag: EventFlag;
  accountId: string;
  /** decides which scoped webhooks hear of it (spec 2-messages §18.12) */
  domain: string;
  /** RFC 3339, when it happened */
  happenedAt: string;
  data: Readonly<Record<string, unknown>>;
}

/** The exact text that one webhook is sent and that is signed. */
export function writeBody(event: PublicEvent, webhookId: string): string {
  return JSON.stringify({
    type: EVENT_TYPES[event.flag],
    timestamp: publicTime(event.happenedAt),
    webhook_id: webhookId,
    data: event.data,
  });
}

/** RFC 3339 without zeros at the end of the fraction: `…:02.000Z` is `…:02Z`. */
export function publicTime(time: string): string {
  return time.replace(/\.(\d*?)0*Z$/, (_, fraction: string) => (fraction === '' ? 'Z' : `.${fraction}Z`));
}
