import { DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import type { MessageChangedEvent } from '@postmesh/messages-contract';

/** Where a recipient of a campaign stands (spec 3-marketing §8.2). */
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

// A suppression that comes between the hand-over and the first attempt suppresses as one before it (spec 3-marketing §7.3).
const OPEN: readonly RecipientStatus[] = ['queued', 'deferred'];
/** Of a deleted contact: `skipped` was taken before, and has become a message after all when something is told of it. */
export const OPEN_WHEN_FORGOTTEN: readonly RecipientStatus[] = [...OPEN, 'skipped'];

/** Whether what became of a message may change its recipient (spec 3-marketing §8.2): nothing moves backwards. */
export function accepts(
  status: RecipientStatus,
  outcome: DeliveryOutcome,
  open: readonly RecipientStatus[] = OPEN,
): boolean {
  return open.includes(status) || (status === 'delivered' && outcome === 'bounced');
}

/** What became of a message: an attempt tells it, or a report later. */
export interface RecipientOutcome {
  readonly messageId: string;
  readonly outcome: DeliveryOutcome;
  readonly at: string;
  /** why it bounced or failed */
  readonly reason: string | null;
  /** the address will never take mail: its contact is not valid (spec 3-marketing §1.4 rule 2) */
  readonly hard: boolean;
  /** when the message was handed over */
  readonly sentAt: string | null;
}

/** Bounce classes of a mailbox or a domain that there is not (docs/replies.md). */
const HARD_CLASSES = new Set(['InvalidRecipient', 'InactiveMailbox', 'BadDomain']);

/** @returns none for what is no outcome of a delivery */
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
      // the sandbox asks no server: its bounce says nothing of the address
      hard: outcome === 'bounced' && !data.sandbox && HARD_CLASSES.has(classification),
      sentAt: data.accepted_at ?? null,
    },
  ];
}

/** What a batch of outcomes does to one recipient. */
export interface RecipientChange {
  readonly before: RecipientStatus;
  readonly status: RecipientStatus;
  readonly reason: string | null;
  readonly sentAt: string | null;
  /** also of a message whose bounce was told before its delivery */
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
