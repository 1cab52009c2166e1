import type { DeliveryAttempted, EventEnvelope } from '@postmesh/contracts';
import { attemptStatus, statusAfter, type MessageStatus } from '../message-status/message-status.rules.js';

type Attempted = ReturnType<typeof DeliveryAttempted.make>;
export type AttemptedEvent = EventEnvelope<Attempted['data']>;

/** What a batch of outcomes does to one message: its events folded in their order. */
export interface MessageChange {
  messageId: string;
  status: MessageStatus;
  /** real SMTP attempts made so far */
  attempts: number;
  sentAt: string | null;
  deliveredAt: string | null;
  classification: string;
  /** a later report, after delivery: may change a delivered message */
  at: string;
}

export interface AttemptEntry {
  messageId: string;
  at: string;
  position: number;
  status: string;
  log: string;
}

/** One change per message; the last outcome wins, the first attempt stays the first. */
export function foldOutcomes(events: readonly AttemptedEvent[]): MessageChange[] {
  const changes = new Map<string, MessageChange>();
  for (const { data } of events) {
    const before = changes.get(data.message_id);
    changes.set(data.message_id, {
      messageId: data.message_id,
      status: statusAfter(data.outcome, data.sandbox),
      attempts: Math.max(before?.attempts ?? 0, data.attempt),
      sentAt: before?.sentAt ?? data.first_attempt_at,
      deliveredAt: data.outcome === 'delivered' ? data.finished_at : (before?.deliveredAt ?? null),
      classification: classificationOf(data),
      at: data.finished_at,
    });
  }
  return [...changes.values()];
}

function classificationOf(data: Attempted['data']): string {
  if (data.outcome === 'delivered') return '';
  // Of the message, not of its last reply: `MessageExpired` also when the last server gave a reason (spec 2-messages §8.3).
  if (data.outcome === 'failed') return data.classification ?? 'MessageExpired';
  return data.reply?.classification ?? '';
}

// The last entry of a message that was given up has no attempt of its own: it stands behind the attempts.
const AFTER_ATTEMPTS = 1_000;

/** The entries of `delivery_attempts` (spec 2-messages §3). */
export function attemptEntries(events: readonly AttemptedEvent[]): AttemptEntry[] {
  return events.map(({ data }) => ({
    messageId: data.message_id,
    at: data.finished_at,
    position: data.outcome === 'failed' || data.outcome === 'suppressed' ? AFTER_ATTEMPTS : data.attempt,
    status: attemptStatus(data.outcome),
    log: attemptLog(data),
  }));
}

function attemptLog({ reply, outcome, uncertain }: Attempted['data']): string {
  if (!reply) return outcome === 'failed' ? 'the delivery window ended' : '';
  const code = reply.smtp_code > 0 ? [String(reply.smtp_code), reply.enhanced_status_code ?? ''] : [];
  const words = [...code, reply.response ?? ''].filter((word) => word !== '').join(' ');
  return uncertain ? `${words} (the reply to the message was lost; it may arrive twice)` : words;
}
