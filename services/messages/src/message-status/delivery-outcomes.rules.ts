import { failureClassOf } from '@postmesh/messages-contract';
import type { DeliveryAttempted, DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import type { EventOf, MessageId } from '@postmesh/contracts';
import { accepts, attemptStatus, statusAfter, type MessageStatus } from './message-status.rules.js';

type AttemptedEvent = EventOf<typeof DeliveryAttempted>;
type Attempted = AttemptedEvent['data'];

/** The effect of a batch of outcomes on one message: its events folded in their order. */
export interface MessageChange {
  messageId: MessageId;
  /** the last one; the row decides whether it may still change the status */
  outcome: DeliveryOutcome;
  status: MessageStatus;
  /** real SMTP attempts made so far */
  attempts: number;
  sentAt: string | null;
  deliveredAt: string | null;
  classification: string;
  at: string;
}

/**
 * One change per message; the last outcome wins, the first attempt stays the first. In the order of ids, which is also
 * the lock order of recording opens, so that the two do not deadlock.
 */
export function foldOutcomes(events: readonly AttemptedEvent[]): MessageChange[] {
  const changes = new Map<string, MessageChange>();
  for (const { data } of events) {
    const before = changes.get(data.message_id);
    changes.set(data.message_id, {
      messageId: data.message_id as MessageId,
      outcome: data.outcome,
      status: statusAfter(data.outcome, data.sandbox),
      attempts: Math.max(before?.attempts ?? 0, data.attempt),
      sentAt: before?.sentAt ?? data.first_attempt_at,
      deliveredAt: data.outcome === 'delivered' ? data.finished_at : (before?.deliveredAt ?? null),
      classification: failureClassOf(data),
      at: data.finished_at,
    });
  }
  return [...changes.values()].toSorted((one, other) => (one.messageId < other.messageId ? -1 : 1));
}

/** The facts of an outcome for statistics and suppressions: from an attempt, or from a later report. */
export type OutcomeFacts = Pick<
  Attempted,
  | 'message_id'
  | 'campaign_id'
  | 'domain'
  | 'recipient'
  | 'outcome'
  | 'sandbox'
  | 'finished_at'
  | 'first_attempt_at'
  | 'accepted_at'
  | 'tags'
  | 'reply'
  | 'give_up'
  | 'remote_host'
>;

/** An outcome that changed the status of its message. */
export interface EffectiveOutcome {
  accountId: string | null;
  data: OutcomeFacts;
  /** the status before the outcome */
  before: MessageStatus;
  templateId?: string | null;
}

// The record of a message is purged after its delivery: only a late bounce report can still change it.
const OF_PURGED: MessageStatus = 'Delivered';

/**
 * @param events in order
 * @param before the status of each message before the events; none for one that was purged
 * @param templates of the messages that were sent with one
 */
export function effectiveOutcomes(
  events: readonly AttemptedEvent[],
  before: ReadonlyMap<string, MessageStatus>,
  templates: ReadonlyMap<string, string> = new Map(),
): EffectiveOutcome[] {
  const statuses = new Map(before);
  return events.flatMap(({ account_id: accountId, data }) => {
    const status = statuses.get(data.message_id) ?? OF_PURGED;
    if (!accepts(status, data.outcome)) return [];
    statuses.set(data.message_id, statusAfter(data.outcome, data.sandbox));
    return [{ accountId, data, before: status, templateId: templates.get(data.message_id) ?? null }];
  });
}

/** A row of `delivery_attempts`: the fields for customers, and those for operators only. */
export interface DeliveryAttemptRow {
  messageId: MessageId;
  position: number;
  startedAt: string | null;
  finishedAt: string;
  status: string;
  log: string;
  classification: string;
  /** row of docs/replies.md; null where no reply failed */
  replyRule: string | null;
  remoteHost: string | null;
  /** null where no server was contacted, like the five after it */
  tls: boolean | null;
  remoteAddress: string | null;
  tlsProtocol: string | null;
  tlsCipher: string | null;
  tlsVerdict: string | null;
  tlsPolicy: string | null;
  /** id of our source address, where there are several */
  source: string | null;
  /** the message may have arrived without a reply */
  uncertain: boolean;
  nextAttemptAt: string | null;
}

/** Columns of `delivery_attempts`, for `insertRows`. */
export const ATTEMPT_COLUMNS = {
  message_id: 'uuid',
  position: 'int',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
  status: 'text',
  log: 'text',
  classification: 'text',
  reply_rule: 'text',
  remote_host: 'text',
  tls: 'bool',
  remote_address: 'text',
  tls_protocol: 'text',
  tls_cipher: 'text',
  tls_verdict: 'text',
  tls_policy: 'text',
  source: 'text',
  uncertain: 'bool',
  next_attempt_at: 'timestamptz',
} as const;

// The last entry of a failed message has no attempt of its own: its position is after the attempts, and that of a later
// report follows it.
const AFTER_ATTEMPTS = 1_000;
const AFTER_THE_END = 1_001;

/** The entries of `delivery_attempts` (spec 2-messages §3). */
export function deliveryAttempts(events: readonly AttemptedEvent[]): DeliveryAttemptRow[] {
  return events.map(({ data }) => ({
    messageId: data.message_id as MessageId,
    position: data.outcome === 'failed' || data.outcome === 'suppressed' ? AFTER_ATTEMPTS : data.attempt,
    startedAt: data.started_at,
    finishedAt: data.finished_at,
    status: attemptStatus(data.outcome),
    log: attemptLog(data),
    classification: failureClassOf(data),
    replyRule: data.reply?.rule ?? null,
    remoteHost: data.remote_host,
    tls: data.remote_host === null ? null : data.tls,
    remoteAddress: data.remote_address ?? null,
    tlsProtocol: data.tls_protocol ?? null,
    tlsCipher: data.tls_cipher ?? null,
    tlsVerdict: data.tls_verdict ?? null,
    tlsPolicy: data.tls_policy ?? null,
    source: data.source ?? null,
    uncertain: data.uncertain,
    nextAttemptAt: data.next_attempt_at,
  }));
}

/**
 * One row per message and position: the first one. A known outcome replaces an uncertain one, when the worker of an
 * attempt was presumed dead and reported its end later.
 */
export function firstKnown(rows: readonly DeliveryAttemptRow[]): DeliveryAttemptRow[] {
  const found = new Map<string, DeliveryAttemptRow>();
  for (const row of rows) {
    const key = `${row.messageId} ${row.position}`;
    const first = found.get(key);
    if (first === undefined || (first.uncertain && !row.uncertain)) found.set(key, row);
  }
  return [...found.values()];
}

/** The `on conflict` clause of `delivery_attempts` with the rule of `firstKnown`. */
export const KEEP_FIRST_KNOWN = `(message_id, position) do update set ${Object.keys(ATTEMPT_COLUMNS)
  .filter((column) => column !== 'message_id' && column !== 'position')
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')} where delivery_attempts.uncertain and not excluded.uncertain`;

/** The entry of a message that ended at acceptance (spec 1-platform §14.3 rule 1). */
export const suppressedAttempt = (messageId: MessageId, at: Date): DeliveryAttemptRow =>
  endWithoutAttempt(messageId, at, { status: attemptStatus('suppressed'), log: SUPPRESSED_LOG });

/** The entry of a message that its account canceled (spec 2-messages §3). */
export const canceledAttempt = (messageId: MessageId, at: Date): DeliveryAttemptRow =>
  endWithoutAttempt(messageId, at, { status: 'Cancellation', log: 'canceled before its first attempt' });

/** The entry of a bounce from a later report (spec 2-messages §15.4). */
export const reportedBounce = (
  messageId: MessageId,
  at: Date,
  said: Pick<DeliveryAttemptRow, 'log' | 'classification' | 'replyRule' | 'remoteHost'>,
): DeliveryAttemptRow => ({
  ...endWithoutAttempt(messageId, at, { status: attemptStatus('bounced'), log: said.log }),
  ...said,
  position: AFTER_THE_END,
});

const endWithoutAttempt = (
  messageId: MessageId,
  at: Date,
  entry: Pick<DeliveryAttemptRow, 'status' | 'log'>,
): DeliveryAttemptRow => ({
  messageId,
  position: AFTER_ATTEMPTS,
  startedAt: null,
  finishedAt: at.toISOString(),
  ...entry,
  classification: '',
  replyRule: null,
  remoteHost: null,
  tls: null,
  remoteAddress: null,
  tlsProtocol: null,
  tlsCipher: null,
  tlsVerdict: null,
  tlsPolicy: null,
  source: null,
  uncertain: false,
  nextAttemptAt: null,
});

const SUPPRESSED_LOG = 'the recipient is suppressed for the sending domain';
const LOG_WITHOUT_REPLY: Partial<Record<DeliveryOutcome, string>> = {
  failed: 'the delivery window ended',
  suppressed: SUPPRESSED_LOG,
};

function attemptLog({ reply, outcome, uncertain, started_at: startedAt }: Attempted): string {
  if (!reply) return LOG_WITHOUT_REPLY[outcome] ?? '';
  const code = reply.smtp_code > 0 ? [String(reply.smtp_code), reply.enhanced_status_code ?? ''] : [];
  const text = [...code, reply.response ?? ''].filter((part) => part !== '').join(' ');
  if (!uncertain) return text;
  // an attempt of a dead worker has no known start: the reply of its server was never read
  if (startedAt === null) return `${text} (it may have arrived)`;
  return `${text} (the reply to the message was lost; it may arrive twice)`;
}
