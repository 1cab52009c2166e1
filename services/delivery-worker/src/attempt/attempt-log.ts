import { Inject, Injectable } from '@nestjs/common';
import type { FailureKind } from '@postmesh/contracts';
import { maskAddress, Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import type { AttemptRecord } from '../record/attempt-record.rules.js';

/** One wide log line and two metrics per attempt. */
@Injectable()
export class AttemptLog {
  private readonly attempts;
  private readonly duration;
  private readonly uncertain;
  private readonly setAsides;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.attempts = metrics.counter('postmesh_delivery_attempts_total', 'Delivery attempts by outcome', [
      'outcome',
    ]);
    this.duration = metrics.histogram(
      'postmesh_delivery_attempt_seconds',
      'From claim to the reply of the server',
      ['outcome'],
    );
    this.uncertain = metrics.counter(
      'postmesh_delivery_uncertain_total',
      'Attempts after which nobody knows whether the message arrived; it is sent again',
      ['cause'],
    );
    this.setAsides = metrics.counter(
      'postmesh_delivery_set_aside_total',
      'Messages that were given up because workers died in the middle of their attempts',
    );
  }

  attempted(record: AttemptRecord, { begunAt, own }: { begunAt: Date; own: boolean }): void {
    const { delivery, reply } = record;
    const outcome = record.isSilent
      ? record.suspendedFor === null
        ? 'released'
        : 'suspended'
      : record.outcome;
    const durationMs = record.finishedAt.getTime() - begunAt.getTime();
    this.attempts.inc({ outcome });
    this.duration.observe({ outcome }, durationMs / 1000);
    if (record.uncertain) this.uncertain.inc({ cause: 'reply lost' });
    this.logger.info(
      {
        event: 'delivery.attempted',
        ...idsOf(delivery),
        recipient: maskAddress(delivery.recipient),
        attempt: delivery.attempt,
        outcome,
        smtp_code: reply?.smtp_code,
        enhanced_status_code: reply?.enhanced_status_code,
        classification: record.classification ?? reply?.classification,
        source: record.source,
        reply_kind: reply?.kind,
        reply_rule: reply?.rule,
        remote_host: record.remoteHost,
        tls: record.tls,
        tls_verdict: record.connection?.tlsVerdict,
        tls_policy: record.connection?.tlsPolicy,
        uncertain: record.uncertain,
        sandbox: delivery.sandbox !== null,
        next_attempt_at: record.nextAttemptAt?.toISOString(),
        duration_ms: durationMs,
        lease_lost: !own,
      },
      'delivery attempted',
    );
  }

  /** A worker died in the middle of these attempts. */
  abandoned(deliveries: readonly ClaimedDelivery[]): void {
    this.uncertain.inc({ cause: 'worker died' }, deliveries.length);
    for (const delivery of deliveries) {
      this.logger.warn(
        { event: 'delivery.abandoned', ...idsOf(delivery), attempt: delivery.attempt, uncertain: true },
        'attempt of a dead worker, made again',
      );
    }
  }

  /** Somebody is to look at these: a message that brings a worker down is a defect of ours. */
  setAside(deliveries: readonly ClaimedDelivery[]): void {
    this.setAsides.inc({}, deliveries.length);
    for (const delivery of deliveries) {
      this.logger.error(
        { event: 'delivery.set_aside', ...idsOf(delivery), attempt: delivery.attempt, uncertain: true },
        'message set aside: its workers died',
      );
    }
  }

  /** The trouble is ours, so it is logged louder than what a remote server says. */
  unprepared(delivery: ClaimedDelivery, failure: unknown, kind: FailureKind): void {
    this.logger.error(
      { event: 'delivery.unprepared', err: failure, ...idsOf(delivery), kind },
      'message could not be made',
    );
  }
}

const idsOf = (delivery: ClaimedDelivery) => ({
  message_id: delivery.id,
  account_id: delivery.accountId,
  domain: delivery.domain,
});
