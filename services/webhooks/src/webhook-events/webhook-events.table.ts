/**
 * The flag by which a webhook subscribes, and the public type that it then gets (spec 2-messages §19). Body, filters,
 * resource, listeners and payloads follow from this table: a new event is an entry here and a payload rule in
 * `event-payloads.rules.ts`.
 */
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

/** One value per event, in the order of the table. */
export function perEvent<T>(valueOf: (flag: EventFlag) => T): Record<EventFlag, T> {
  return Object.fromEntries(EVENT_FLAGS.map((flag) => [flag, valueOf(flag)])) as Record<EventFlag, T>;
}
