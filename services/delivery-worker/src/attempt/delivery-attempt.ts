import { Inject, Injectable } from '@nestjs/common';
import { failureKind, type RemoteAnswer } from '@postmesh/contracts';
import { verpAddress } from '@postmesh/mail-format';
import { maskAddress, Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ClaimedDelivery } from '../claim/delivery-claims.js';
import type { AttemptRecord } from '../record/attempt-record.rules.js';
import { AttemptRecorder } from '../record/attempt-recorder.js';
import { PreparedLetters, type PreparedLetter } from '../signing/prepared-letters.js';
import { decideAttempt, windowEnd, type RetryPlan } from './attempt-decision.rules.js';
import { LETTER_TRANSPORT, type LetterTransport, type TransportResult } from './letter-transport.port.js';
import { sandboxOutcome } from './sandbox.rules.js';

/** One attempt, as a list of steps: window, sandbox, letter, network, decision, record. */
@Injectable()
export class DeliveryAttempt {
  private readonly plan: RetryPlan;
  private readonly verpKey: string;
  private readonly attempts;
  private readonly duration;

  constructor(
    private readonly letters: PreparedLetters,
    private readonly recorder: AttemptRecorder,
    @Inject(LETTER_TRANSPORT) private readonly transport: LetterTransport,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.plan = {
      delaysSeconds: settings.retryDelaysSeconds.map(Number),
      windowSeconds: settings.deliveryWindowSeconds,
    };
    this.verpKey = settings.secretKeys[0] ?? '';
    this.attempts = metrics.counter('postmesh_delivery_attempts_total', 'Delivery attempts by outcome', [
      'outcome',
    ]);
    this.duration = metrics.histogram(
      'postmesh_delivery_attempt_seconds',
      'From claim to the remote answer',
      ['outcome'],
    );
  }

  /** Never throws for what befalls one delivery; a failed record leaves the lease to run out. */
  async run(delivery: ClaimedDelivery): Promise<void> {
    const startedAt = new Date();
    const record = await this.attempt(delivery, startedAt);
    const written = await this.recorder.record(record);
    this.observe(record, startedAt, written);
  }

  private async attempt(delivery: ClaimedDelivery, startedAt: Date): Promise<AttemptRecord> {
    if (windowEnd(delivery, this.plan) <= startedAt) return this.expired(delivery, startedAt);
    if (delivery.sandbox !== null) return this.simulated(delivery, delivery.sandbox, startedAt);
    const letter = await this.prepare(delivery);
    if ('failure' in letter) return this.unprepared(delivery, letter.failure, startedAt);
    const result = await this.transport.send({
      destination: delivery.destination,
      envelopeFrom: verpAddress(delivery.id, this.returnPathHost(delivery), this.verpKey),
      recipient: delivery.recipient,
      letter: letter.ready,
    });
    return this.decided(delivery, result, startedAt);
  }

  private async prepare(
    delivery: ClaimedDelivery,
  ): Promise<{ ready: PreparedLetter } | { failure: unknown }> {
    try {
      return { ready: await this.letters.prepare(delivery) };
    } catch (failure) {
      return { failure };
    }
  }

  private returnPathHost(delivery: ClaimedDelivery): string {
    return delivery.return_path_host === '' ? `rp.${this.settings.serviceZone}` : delivery.return_path_host;
  }

  private decided(delivery: ClaimedDelivery, result: TransportResult, startedAt: Date): AttemptRecord {
    const finishedAt = new Date();
    const decision = decideAttempt({
      delivery,
      result,
      now: finishedAt,
      plan: this.plan,
      random: Math.random(),
    });
    return {
      delivery,
      ...decision,
      startedAt,
      finishedAt,
      answer: result.answer,
      uncertain: result.uncertain,
      remoteHost: result.remoteHost,
      tls: result.tls,
      counted: true,
    };
  }

  /** The trouble is ours: the recipient's server was not asked and no attempt counts. */
  private unprepared(delivery: ClaimedDelivery, failure: unknown, startedAt: Date): AttemptRecord {
    const reason = failure instanceof Error ? failure.message : String(failure);
    const answer: RemoteAnswer = { smtp_code: 0, response: reason, classification: 'Uncategorized' };
    const kind = failureKind(failure);
    if (kind === 'permanent' || kind === 'poison') {
      this.logger.error({ err: failure, message_id: delivery.id }, 'a letter cannot be made');
      return {
        ...this.unsent(delivery, startedAt),
        outcome: 'failed',
        nextAttemptAt: null,
        answer,
        counted: false,
      };
    }
    const result: TransportResult = {
      verdict: 'temporary',
      answer,
      remoteHost: null,
      tls: false,
      uncertain: false,
    };
    return { ...this.decided(delivery, result, startedAt), counted: delivery.attempt > 1 };
  }

  private expired(delivery: ClaimedDelivery, now: Date): AttemptRecord {
    return { ...this.unsent(delivery, now), outcome: 'failed', nextAttemptAt: null, counted: false };
  }

  private simulated(delivery: ClaimedDelivery, result: string, now: Date): AttemptRecord {
    const { outcome, answer } = sandboxOutcome(result);
    return { ...this.unsent(delivery, now), outcome, answer, nextAttemptAt: null, counted: answer !== null };
  }

  private unsent(delivery: ClaimedDelivery, now: Date) {
    return {
      delivery,
      startedAt: null,
      finishedAt: now,
      answer: null,
      uncertain: false,
      remoteHost: null,
      tls: false,
    };
  }

  private observe(record: AttemptRecord, startedAt: Date, written: boolean): void {
    const { delivery, outcome } = record;
    this.attempts.inc({ outcome });
    this.duration.observe({ outcome }, (record.finishedAt.getTime() - startedAt.getTime()) / 1000);
    this.logger.info(
      {
        message_id: delivery.id,
        account_id: delivery.account_id,
        domain: delivery.domain,
        recipient: maskAddress(delivery.recipient),
        attempt: delivery.attempt,
        outcome,
        smtp_code: record.answer?.smtp_code,
        enhanced_status_code: record.answer?.enhanced_status_code,
        classification: record.answer?.classification,
        remote_host: record.remoteHost,
        tls: record.tls,
        uncertain: record.uncertain,
        sandbox: delivery.sandbox !== null,
        next_attempt_at: record.nextAttemptAt?.toISOString(),
        duration_ms: record.finishedAt.getTime() - startedAt.getTime(),
        lease_lost: !written,
      },
      'delivery attempted',
    );
  }
}
