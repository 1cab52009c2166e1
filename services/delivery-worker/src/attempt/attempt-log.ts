import { Inject, Injectable } from '@nestjs/common';
import type { FailureKind } from '@postmesh/contracts';
import {
  LONG_SECONDS,
  maskAddress,
  Metrics,
  TopAccounts,
  type Logger,
  type Span,
  type Tracer,
} from '@postmesh/observability';
import { LOGGER, TRACER } from '@postmesh/service-host';
import { providerLabel } from '../mx/group-key.rules.js';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import type { AttemptRecord } from '../record/attempt-record.rules.js';

/** One wide log line and a few metrics per attempt, and a span of those that are traced. */
@Injectable()
export class AttemptLog {
  private readonly attempts;
  private readonly duration;
  private readonly latency;
  private readonly ofAccounts;
  private readonly uncertain;
  private readonly setAsides;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACER) private readonly tracer: Tracer,
    metrics: Metrics,
  ) {
    this.attempts = metrics.counter(
      'postmesh_delivery_attempts_total',
      'Delivery attempts by provider and outcome',
      ['provider', 'outcome'],
    );
    this.duration = metrics.histogram(
      'postmesh_delivery_attempt_seconds',
      'From claim to the reply of the server',
      ['outcome'],
    );
    this.latency = metrics.histogram(
      'postmesh_delivery_latency_seconds',
      'From the acceptance of a message to the reply that took it; not of scheduled ones',
      ['provider'],
      LONG_SECONDS,
    );
    this.ofAccounts = new TopAccounts(metrics, {
      name: 'postmesh_account_outcomes',
      help: 'Outcomes of attempts in the last minute, of the accounts with most of them in this worker',
      label: 'outcome',
    });
    this.uncertain = metrics.counter(
      'postmesh_delivery_uncertain_total',
      'Attempts with an unknown result; the message is sent again',
      ['cause'],
    );
    this.setAsides = metrics.counter(
      'postmesh_delivery_set_aside_total',
      'Messages that were given up because workers died in the middle of their attempts',
    );
  }

  begun(delivery: ClaimedDelivery): Span | undefined {
    return this.tracer.follow(delivery.trace, 'delivery.attempt', 'client');
  }

  /** The attempt itself has ended; its publishing belongs to the next step. */
  ended(record: AttemptRecord, span: Span | undefined): AttemptRecord {
    if (span === undefined) return record;
    span.end({
      'postmesh.message_id': record.delivery.id,
      'postmesh.account_id': record.delivery.accountId,
      'postmesh.attempt': record.delivery.attempt,
      'postmesh.provider': providerLabel(record.delivery.key),
      'postmesh.outcome': record.outcome,
      'postmesh.smtp_code': record.reply?.smtp_code,
    });
    return { ...record, trace: span.traceparent };
  }

  attempted(record: AttemptRecord, { begunAt, own }: { begunAt: Date; own: boolean }): void {
    const { delivery } = record;
    const outcome = record.isSilent
      ? record.suspendedFor === null
        ? 'released'
        : 'suspended'
      : record.outcome;
    const durationMs = record.finishedAt.getTime() - begunAt.getTime();
    const provider = providerLabel(delivery.key);
    this.attempts.inc({ provider, outcome });
    this.ofAccounts.count(delivery.accountId, outcome);
    if (outcome === 'delivered') this.observeLatency(record, provider);
    this.duration.observe({ outcome }, durationMs / 1000);
    if (record.uncertain) this.uncertain.inc({ cause: 'reply lost' });
    if (this.logger.isLevelEnabled('info')) this.logAttempt(record, { outcome, durationMs, own });
  }

  private logAttempt(
    record: AttemptRecord,
    { outcome, durationMs, own }: { outcome: string; durationMs: number; own: boolean },
  ): void {
    const { delivery, reply } = record;
    this.logger.info(
      {
        event: 'delivery.attempted',
        ...idsOf(delivery),
        recipient: maskAddress(delivery.recipient),
        attempt: delivery.attempt,
        outcome,
        trace: delivery.trace,
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

  private observeLatency({ delivery, finishedAt }: AttemptRecord, provider: string): void {
    const { acceptedAt, scheduled, sandbox } = delivery;
    if (acceptedAt === undefined || scheduled || sandbox !== null) return;
    this.latency.observe({ provider }, Math.max(0, finishedAt.getTime() - Date.parse(acceptedAt)) / 1_000);
  }

  /** A worker died in the middle of these attempts. */
  abandoned(deliveries: readonly ClaimedDelivery[]): void {
    this.uncertain.inc({ cause: 'worker died' }, deliveries.length);
    for (const delivery of deliveries) {
      this.logger.warn(
        { event: 'delivery.abandoned', ...idsOf(delivery), attempt: delivery.attempt, uncertain: true },
        'worker died during the attempt, will retry',
      );
    }
  }

  /** An operator has to act: a message that crashes workers is a defect of ours. */
  setAside(deliveries: readonly ClaimedDelivery[]): void {
    this.setAsides.inc({}, deliveries.length);
    for (const delivery of deliveries) {
      this.logger.error(
        { event: 'delivery.set_aside', ...idsOf(delivery), attempt: delivery.attempt, uncertain: true },
        'message set aside: its workers died',
      );
    }
  }

  /** The cause is ours, so it is logged at a higher level than a remote server's reply. */
  unprepared(delivery: ClaimedDelivery, failure: unknown, kind: FailureKind): void {
    this.logger.error(
      { event: 'delivery.unprepared', err: failure, ...idsOf(delivery), kind },
      'message could not be composed',
    );
  }
}

const idsOf = (delivery: ClaimedDelivery) => ({
  message_id: delivery.id,
  account_id: delivery.accountId,
  domain: delivery.domain,
});
