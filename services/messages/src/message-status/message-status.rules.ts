import { DeliveryOutcome } from '@postmesh/delivery-worker-contract';

/**
 * The stored values. New ones are appended: segments of the search index contain their numbers. `Inbound` is shown as
 * `Received` (spec 2-messages §7): the separate value keeps inbound messages apart from those that wait to be sent.
 */
export const STORED_STATUSES = [
  'Received',
  'Scheduled',
  'Delivered',
  'Opened',
  'Clicked',
  'Deferred',
  'Bounced',
  'Failed',
  'Suppressed',
  'Canceled',
  'Sandbox Delivered',
  'Sandbox Deferred',
  'Sandbox Failed',
  'Sandbox Bounced',
  'Sandbox Suppressed',
  'Inbound',
] as const;
export type StoredStatus = (typeof STORED_STATUSES)[number];

/** The values in responses and filters (spec 2-messages §7). */
export const MESSAGE_STATUSES = STORED_STATUSES.filter((status) => status !== 'Inbound');
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** States that a delivery outcome may still change. */
export const OPEN_STATUSES: readonly StoredStatus[] = ['Received', 'Scheduled', 'Deferred'];
/** A later delivery report may still change these to bounced. */
const DELIVERED_STATUSES: readonly StoredStatus[] = ['Delivered', 'Opened', 'Clicked'];

const OF_OUTCOME: Record<DeliveryOutcome, { real: MessageStatus; sandbox: MessageStatus; attempt: string }> =
  {
    delivered: { real: 'Delivered', sandbox: 'Sandbox Delivered', attempt: 'Delivery' },
    deferred: { real: 'Deferred', sandbox: 'Sandbox Deferred', attempt: 'TransientFailure' },
    bounced: { real: 'Bounced', sandbox: 'Sandbox Bounced', attempt: 'Bounce' },
    failed: { real: 'Failed', sandbox: 'Sandbox Failed', attempt: 'Expiration' },
    suppressed: { real: 'Suppressed', sandbox: 'Sandbox Suppressed', attempt: 'Suppression' },
  };

/** The status after an outcome. */
export const statusAfter = (outcome: DeliveryOutcome, sandbox: boolean): MessageStatus =>
  sandbox ? OF_OUTCOME[outcome].sandbox : OF_OUTCOME[outcome].real;

/** The name of a `delivery_attempts` entry (spec 2-messages §3). */
export const attemptStatus = (outcome: DeliveryOutcome): string => OF_OUTCOME[outcome].attempt;

/** Whether an outcome may change a message in this status: a status only moves forward. */
export function accepts(status: StoredStatus, outcome: DeliveryOutcome): boolean {
  if (OPEN_STATUSES.includes(status)) return true;
  return outcome === 'bounced' && DELIVERED_STATUSES.includes(status);
}

/** `accepts` as a table, outcome → statuses that it may change, for the update of the rows. */
export const ACCEPTING_STATUSES: Readonly<Record<string, readonly MessageStatus[]>> = Object.fromEntries(
  DeliveryOutcome.options.map((outcome) => [
    outcome,
    MESSAGE_STATUSES.filter((status) => accepts(status, outcome)),
  ]),
);

/**
 * `Inbound` is a stored value only; `Scheduled` turns into `Received` by the clock alone, without a write
 * (spec 2-messages §7).
 */
export function shownStatus(status: StoredStatus, firstAttempt: Date | null, now: Date): MessageStatus {
  if (status === 'Inbound') return 'Received';
  return status === 'Scheduled' && firstAttempt !== null && firstAttempt <= now ? 'Received' : status;
}

/** A message whose delivery is over. */
export const isTerminal = (status: StoredStatus): boolean => !OPEN_STATUSES.includes(status);
