import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import type { EventEnvelope } from '@postmesh/contracts';
import { MAX_CRASHES, type Ending } from '@postmesh/work';
import type { AllFields } from '@postmesh/message-content';
import type { AttemptOutcome } from '../classify/attempt-outcome.rules.js';
import { NO_ROUTE_GROUP, unknownKeyOf } from '../mx/group-key.rules.js';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';

/** The result of an attempt, ready to be written: all of its outcome, so that nothing of it can be left out. */
export interface AttemptRecord extends Omit<AttemptOutcome, 'outcome'> {
  delivery: ClaimedDelivery;
  outcome: DeliveryOutcome;
  startedAt: Date | null;
  finishedAt: Date;
  /** no server was asked: the delivery continues to wait, and there is nothing to publish */
  isSilent: boolean;
  /** its delivery window runs; not while only trouble of ours kept it from its first attempt */
  windowRuns: boolean;
  /** why it waits for its account instead of a time; `nextAttemptAt` is then the end of its window */
  suspendedFor: string | null;
  /** of the attempt, where the message is traced */
  trace?: string;
}

type Given = Pick<AttemptRecord, 'outcome' | 'classification'> & Partial<AttemptRecord>;

/** A step that ended without the network. */
export function unsent(delivery: ClaimedDelivery, given: Given): AttemptRecord {
  return {
    delivery,
    startedAt: null,
    finishedAt: new Date(),
    nextAttemptAt: null,
    reply: null,
    uncertain: false,
    remoteHost: null,
    tls: false,
    counted: false,
    giveUp: null,
    isSilent: false,
    windowRuns: true,
    suspendedFor: null,
    ...given,
  };
}

/** The claim led to no attempt, and there is nothing to publish: the delivery continues to wait. */
export function released(
  delivery: ClaimedDelivery,
  wait: { until: Date; reason: string; windowRuns: boolean },
): AttemptRecord {
  return unsent(delivery, {
    outcome: 'deferred',
    classification: null,
    reply: { smtp_code: 0, response: wait.reason },
    nextAttemptAt: wait.until,
    isSilent: true,
    windowRuns: wait.windowRuns,
  });
}

/** The account may not send: no attempt was made, and the delivery waits for the account, until its own end. */
export function suspended(delivery: ClaimedDelivery, { until, reason }: { until: Date; reason: string }) {
  return { ...released(delivery, { until, reason, windowRuns: false }), suspendedFor: reason };
}

/** The account is gone: the delivery is removed without an event. */
export const removed = (delivery: ClaimedDelivery): AttemptRecord =>
  unsent(delivery, { outcome: 'failed', classification: null, isSilent: true });

/**
 * The worker died during the attempt: the message may have arrived, and is tried again (architecture §3.9). A sandbox
 * send contacts no host, and a deleted account has no one to notify.
 */
export const abandoned = (delivery: ClaimedDelivery): AttemptRecord =>
  unsent(delivery, {
    outcome: 'deferred',
    classification: null,
    reply: {
      smtp_code: 0,
      response: 'the worker stopped in the middle of the attempt',
      classification: 'TransientFailure',
    },
    uncertain: true,
    counted: true,
    nextAttemptAt: new Date(),
    isSilent: delivery.sandbox !== null || delivery.accountState === 'deleted',
  });

/**
 * One worker after the other died during its attempts, so the message is the likely cause: it is not tried again (ADR
 * 69). It may have arrived; the trouble is ours, and no limit of its own ended it.
 */
export const setAside = (delivery: ClaimedDelivery): AttemptRecord => ({
  ...abandoned(delivery),
  outcome: 'failed',
  classification: 'Uncategorized',
  reply: {
    smtp_code: 0,
    response: `set aside: ${MAX_CRASHES} workers one after the other stopped in the middle of an attempt of it`,
    classification: 'Uncategorized',
  },
  nextAttemptAt: null,
});

/** The result of the network, with the decision about it. */
export function attempted(
  delivery: ClaimedDelivery,
  decision: AttemptOutcome,
  { startedAt, finishedAt }: { startedAt: Date; finishedAt: Date },
): AttemptRecord {
  const outcome = decision.outcome === 'postponed' ? 'deferred' : decision.outcome;
  const isSilent = decision.outcome === 'postponed';
  // written out: this runs for every attempt, and a copy of a copy costs as much as the whole decision
  const record: AllFields<AttemptRecord> = {
    delivery,
    outcome,
    startedAt,
    finishedAt,
    nextAttemptAt: decision.nextAttemptAt,
    reply: decision.reply,
    classification: decision.classification,
    uncertain: decision.uncertain,
    counted: decision.counted,
    remoteHost: decision.remoteHost,
    tls: decision.tls,
    connection: decision.connection,
    source: decision.source,
    giveUp: decision.giveUp,
    verdict: decision.verdict,
    isSilent,
    windowRuns: true,
    suspendedFor: null,
    trace: undefined,
  };
  return record;
}

/** The new state of the row. A suspended one keeps its due time: it goes out then, once its account may send again. */
export function endingOf(record: AttemptRecord): Ending<ClaimedDelivery> {
  const { delivery, nextAttemptAt, suspendedFor } = record;
  if (nextAttemptAt === null) return { item: delivery, next: null };
  const attempts = attemptsMade(record);
  // DNS gave it no route: its domain is looked up again before it is claimed, and not by its next attempt.
  const again = delivery.key === NO_ROUTE_GROUP ? { groupKey: unknownKeyOf(delivery.destination) } : {};
  // The same time as in its event: the claim is dated by the database itself, and its clock is known here to some
  // milliseconds only.
  const first = firstAttemptAt(record) ?? (record.windowRuns ? delivery.firstAttemptAt : null);
  // The next attempt leaves from the same address: greylists have recorded it.
  const source = record.source ?? delivery.source;
  // It may have arrived: by another way it would arrive twice at a host that cannot recognise it.
  const pinned = delivery.pinned || record.uncertain;
  const next =
    suspendedFor === null
      ? { dueAt: nextAttemptAt, reason: waitReason(record), columns: { source, pinned } }
      : {
          state: 'suspended',
          dueAt: delivery.dueAt,
          reason: suspendedFor,
          columns: { suspended_until: nextAttemptAt, source, pinned },
        };
  return { item: delivery, next: { ...next, ...again, attempts, firstAttemptAt: first } };
}

export function toEvent(record: AttemptRecord): EventEnvelope {
  const { delivery } = record;
  return DeliveryAttempted.make(
    {
      message_id: delivery.id,
      send_request_id: delivery.sendRequestId,
      campaign_id: delivery.campaignId,
      domain_id: delivery.domainId,
      domain: delivery.domain,
      sender: delivery.sender,
      sender_name: delivery.senderName,
      recipient: delivery.recipient,
      subject: delivery.subject,
      message_id_header: delivery.messageIdHeader,
      outcome: record.outcome,
      sandbox: delivery.sandbox !== null,
      attempt: attemptsMade(record),
      started_at: record.startedAt?.toISOString() ?? null,
      finished_at: record.finishedAt.toISOString(),
      first_attempt_at: firstAttemptAt(record)?.toISOString() ?? null,
      next_attempt_at: record.nextAttemptAt?.toISOString() ?? null,
      accepted_at: delivery.acceptedAt,
      tags: delivery.tags,
      reply: record.reply,
      classification: record.classification,
      give_up: record.giveUp,
      uncertain: record.uncertain,
      remote_host: record.remoteHost,
      tls: record.tls,
      source: record.source,
      remote_address: record.connection?.address,
      tls_protocol: record.connection?.tlsProtocol,
      tls_cipher: record.connection?.tlsCipher,
      tls_verdict: record.connection?.tlsVerdict,
      tls_policy: record.connection?.tlsPolicy,
      destination: destinationKey(delivery.destination, delivery.id),
    },
    {
      account_id: delivery.accountId,
      occurred_at: record.finishedAt,
      trace: record.trace ?? delivery.trace ?? null,
      // it publishes the outcome to all others, as `message-changed`
      only_for: 'messages',
    },
  );
}

// One provider's outcomes are spread over this many keys: order holds per message, work spreads over partitions.
const SHARDS_PER_DESTINATION = 4;

/** The key of a delivery's events: the destination, sharded by the message so that its events stay in order. */
export function destinationKey(destination: string, messageId: string): string {
  return `${destination}#${Number.parseInt(messageId.slice(-2), 16) % SHARDS_PER_DESTINATION}`;
}

/** A claim without an attempt does not count, though it has taken the next number. */
export const attemptsMade = ({ delivery, counted }: AttemptRecord): number =>
  counted ? delivery.attempt : delivery.attempt - 1;

/** The first claim may have led to no attempt: the real first attempt reports its own start. */
function firstAttemptAt(record: AttemptRecord): Date | null {
  const attempts = attemptsMade(record);
  if (attempts === 0) return null;
  return attempts === 1 && record.startedAt !== null ? record.startedAt : record.delivery.firstAttemptAt;
}

/** The reason that people read while the delivery waits: every wait has a reason (architecture §1). */
export function waitReason({ reply }: AttemptRecord): string {
  if (!reply) return 'waits for its next attempt';
  const code = reply.smtp_code > 0 ? `${reply.smtp_code} ` : '';
  return `${code}${reply.response ?? reply.classification ?? 'temporary failure'}`.slice(0, 500);
}
