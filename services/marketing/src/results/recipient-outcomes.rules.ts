import { DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import type { MessageChangedEvent } from '@postmesh/messages-contract';

/** The status of a recipient of a campaign (spec 3-marketing §8.2). */
export const RECIPIENT_STATUSES = [
  'pending',
  'queued',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'skipped',
  'canceled',
] as const;
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number];

// A suppression between the hand-over and the first attempt counts like one before it (spec 3-marketing §7.3).
const OPEN: readonly RecipientStatus[] = ['queued', 'deferred'];
/** For a deleted contact: a `skipped` recipient was taken before, and an event proves that it has become a message. */
export const OPEN_WHEN_FORGOTTEN: readonly RecipientStatus[] = [...OPEN, 'skipped'];

/** Whether an outcome of a message may change its recipient (spec 3-marketing §8.2): a status never moves backwards. */
export function accepts(
  status: RecipientStatus,
  outcome: DeliveryOutcome,
  open: readonly RecipientStatus[] = OPEN,
): boolean {
  return open.includes(status) || (status === 'delivered' && outcome === 'bounced');
}

/** An outcome of a message, from an attempt or a later report. */
export interface RecipientOutcome {
  readonly messageId: string;
  readonly outcome: DeliveryOutcome;
  readonly at: string;
  /** reason of a bounce or failure */
  readonly reason: string | null;
  /** the address will never accept mail: its contact is not valid (spec 3-marketing §1.4 rule 2) */
  readonly hard: boolean;
  /** time of the hand-over */
  readonly sentAt: string | null;
}

/** Bounce classes of a mailbox or domain that does not exist (docs/replies.md). */
const HARD_CLASSES = new Set(['InvalidRecipient', 'InactiveMailbox', 'BadDomain']);

/** @returns an empty array for a change that is no outcome of a delivery */
export function outcomesOf({ data }: MessageChangedEvent): RecipientOutcome[] {
  const { data: outcome } = DeliveryOutcome.safeParse(data.change);
  if (!outcome) return [];
  const { classification = '' } = data;
  return [
    {
      messageId: data.message_id,
      outcome,
      at: data.changed_at,
      reason: outcome === 'bounced' || outcome === 'failed' ? classification || null : null,
      // the sandbox contacts no server: its bounce says nothing about the address
      hard: outcome === 'bounced' && !data.sandbox && HARD_CLASSES.has(classification),
      sentAt: data.accepted_at ?? null,
    },
  ];
}

/** The effect of a batch of outcomes on one recipient. */
export interface RecipientChange {
  readonly before: RecipientStatus;
  readonly status: RecipientStatus;
  readonly reason: string | null;
  readonly sentAt: string | null;
  /** also for a message whose bounce was published before its delivery */
  readonly deliveredAt: string | null;
  readonly hard: boolean;
}

/** @param outcomes of one message, in order @param open statuses that any outcome may change */
export function settle(
  before: RecipientStatus,
  outcomes: readonly RecipientOutcome[],
  open: readonly RecipientStatus[] = OPEN,
): RecipientChange {
  let status = before;
  let reason: string | null = null;
  let hard = false;
  for (const one of outcomes) {
    if (!accepts(status, one.outcome, open)) continue;
    ({ outcome: status, reason } = one);
    hard ||= one.hard;
  }
  const sentAt = outcomes.find((one) => one.sentAt !== null)?.sentAt ?? null;
  const deliveredAt = outcomes.find(({ outcome }) => outcome === 'delivered')?.at ?? null;
  return { before, status, reason, hard, sentAt, deliveredAt };
}

export function byMessage<T extends { readonly messageId: string }>(
  items: readonly T[],
): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.messageId);
    if (group) group.push(item);
    else groups.set(item.messageId, [item]);
  }
  return groups;
}
