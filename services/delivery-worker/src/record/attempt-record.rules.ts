import {
  DeliveryAttempted,
  type DeliveryOutcome,
  type EventEnvelope,
  type RemoteAnswer,
} from '@postmesh/contracts';
import type { ClaimedDelivery } from '../claim/delivery-claims.js';
import { destinationKey } from '../intake/deliveries.rules.js';

/** How an attempt ended, ready to be written down. */
export interface AttemptRecord {
  delivery: ClaimedDelivery;
  outcome: DeliveryOutcome;
  startedAt: Date | null;
  finishedAt: Date;
  /** set when it is to be tried again */
  nextAttemptAt: Date | null;
  answer: RemoteAnswer | null;
  uncertain: boolean;
  remoteHost: string | null;
  tls: boolean;
  /** SMTP was spoken, or tried: counts as an attempt */
  counted: boolean;
  /** nobody was asked: the delivery waits on, and there is nothing to tell anybody */
  silent: boolean;
}

export function toEvent(record: AttemptRecord): EventEnvelope {
  const { delivery } = record;
  const attempts = record.counted ? delivery.attempt : delivery.attempt - 1;
  return DeliveryAttempted.make(
    {
      message_id: delivery.id,
      submission_id: delivery.submission_id,
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
      first_attempt_at: attempts > 0 ? delivery.first_attempt_at.toISOString() : null,
      next_attempt_at: record.nextAttemptAt?.toISOString() ?? null,
      answer: record.answer,
      uncertain: record.uncertain,
      remote_host: record.remoteHost,
      tls: record.tls,
      destination: destinationKey(delivery.destination, delivery.id),
    },
    { account_id: delivery.account_id, occurred_at: record.finishedAt },
  );
}

/** What a person reads while the delivery waits: every wait has a reason (architecture §1). */
export function waitReason({ answer }: AttemptRecord): string {
  if (!answer) return 'waits for its next attempt';
  const code = answer.smtp_code > 0 ? `${answer.smtp_code} ` : '';
  return `${code}${answer.response ?? answer.classification ?? 'temporary failure'}`.slice(0, 500);
}
