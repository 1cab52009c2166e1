import { DeliveryAttempted, type DeliveryOutcome, type EventEnvelope } from '@postmesh/contracts';
import type { AttemptOutcome } from '../classify/attempt-outcome.rules.js';
import type { ClaimedDelivery } from '../claim/delivery-claims.js';
import { destinationKey } from '../intake/deliveries.rules.js';

/** How an attempt ended, ready to be written: all of its outcome, so that nothing of it can be left out. */
export interface AttemptRecord extends Omit<AttemptOutcome, 'outcome'> {
  delivery: ClaimedDelivery;
  outcome: DeliveryOutcome;
  startedAt: Date | null;
  finishedAt: Date;
  /** nobody was asked: the delivery waits on, and there is nothing to tell anybody */
  silent: boolean;
  /** its time to be delivered runs; not so while nothing but trouble of ours kept it from its first attempt */
  windowRuns: boolean;
  /** why it waits for its account and no longer for a time */
  held: string | null;
}

type Told = Pick<AttemptRecord, 'outcome' | 'classification'> & Partial<AttemptRecord>;

/** A step that ended without the network. */
export function unsent(delivery: ClaimedDelivery, told: Told): AttemptRecord {
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
    silent: false,
    windowRuns: true,
    held: null,
    ...told,
  };
}

/** Nothing happened that anybody should hear of: the delivery waits on. */
export function putOff(
  delivery: ClaimedDelivery,
  wait: { until: Date; reason: string; windowRuns: boolean },
): AttemptRecord {
  return unsent(delivery, {
    outcome: 'deferred',
    classification: null,
    reply: { smtp_code: 0, response: wait.reason },
    nextAttemptAt: wait.until,
    silent: true,
    windowRuns: wait.windowRuns,
  });
}

/** The account may not send: nothing was tried, and the delivery waits for the account, until its own end. */
export function heldBack(delivery: ClaimedDelivery, { until, reason }: { until: Date; reason: string }) {
  const held = putOff(delivery, { until, reason, windowRuns: false });
  return { ...held, held: reason };
}

/** The account is gone: the delivery goes without a word. */
export const removed = (delivery: ClaimedDelivery): AttemptRecord =>
  unsent(delivery, { outcome: 'failed', classification: null, silent: true });

/** What was met on the network, as it was decided. */
export function attempted(
  delivery: ClaimedDelivery,
  decision: AttemptOutcome,
  { startedAt, finishedAt }: { startedAt: Date; finishedAt: Date },
): AttemptRecord {
  const outcome = decision.outcome === 'postponed' ? 'deferred' : decision.outcome;
  const silent = decision.outcome === 'postponed';
  return unsent(delivery, { ...decision, outcome, silent, startedAt, finishedAt });
}

export function toEvent(record: AttemptRecord): EventEnvelope {
  const { delivery } = record;
  const attempts = attemptsMade(record);
  return DeliveryAttempted.make(
    {
      message_id: delivery.id,
      send_request_id: delivery.send_request_id,
      domain_id: delivery.domain_id,
      domain: delivery.domain,
      sender: delivery.sender,
      recipient: delivery.recipient,
      subject: delivery.subject,
      message_id_header: delivery.message_id_header,
      outcome: record.outcome,
      sandbox: delivery.sandbox !== null,
      attempt: attempts,
      started_at: record.startedAt?.toISOString() ?? null,
      finished_at: record.finishedAt.toISOString(),
      first_attempt_at: firstAttemptAt(record)?.toISOString() ?? null,
      next_attempt_at: record.nextAttemptAt?.toISOString() ?? null,
      reply: record.reply,
      classification: record.classification,
      give_up: record.giveUp,
      uncertain: record.uncertain,
      remote_host: record.remoteHost,
      tls: record.tls,
      destination: destinationKey(delivery.destination, delivery.id),
    },
    { account_id: delivery.account_id, occurred_at: record.finishedAt },
  );
}

/** A claim that came to nothing is not an attempt, though it has taken the next number. */
export const attemptsMade = ({ delivery, counted }: AttemptRecord): number =>
  counted ? delivery.attempt : delivery.attempt - 1;

/** The first claim may have come to nothing: what was really the first attempt says its own start. */
function firstAttemptAt(record: AttemptRecord): Date | null {
  const attempts = attemptsMade(record);
  if (attempts === 0) return null;
  return attempts === 1 && record.startedAt !== null ? record.startedAt : record.delivery.first_attempt_at;
}

/** What a person reads while the delivery waits: every wait has a reason (architecture §1). */
export function waitReason({ reply }: AttemptRecord): string {
  if (!reply) return 'waits for its next attempt';
  const code = reply.smtp_code > 0 ? `${reply.smtp_code} ` : '';
  return `${code}${reply.response ?? reply.classification ?? 'temporary failure'}`.slice(0, 500);
}
