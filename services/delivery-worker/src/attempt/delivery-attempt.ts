import { Inject, Injectable } from '@nestjs/common';
import { failureKind } from '@postmesh/contracts';
import { verpAddress } from '@postmesh/mail-format';
import { maskAddress, Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { decideAttempt, type AttemptMet } from '../classify/attempt-outcome.rules.js';
import { RETRY_PLAN, windowEnd, type RetryPlan } from '../classify/retry-schedule.rules.js';
import type { ClaimedDelivery } from '../claim/delivery-claims.js';
import type { AttemptRecord } from '../record/attempt-record.rules.js';
import { AttemptRecorder } from '../record/attempt-recorder.js';
import { PreparedLetters, type PreparedLetter } from '../signing/prepared-letters.js';
import { LETTER_TRANSPORT, type LetterTransport } from './letter-transport.port.js';
import { sandboxOutcome } from './sandbox.rules.js';

// Trouble of ours (content or key cannot be read) is tried again soon: the recipient's server has no part in it.
const OUR_TROUBLE_MS = 15_000;

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
      ...RETRY_PLAN,
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

  /** Never throws for what befalls one delivery; when the record cannot be written, the lease runs out. */
  async run(delivery: ClaimedDelivery): Promise<void> {
    const startedAt = new Date();
    const record = await this.attempt(delivery, startedAt);
    const written = await this.recorder.record(record);
    this.observe(record, startedAt, written);
  }

  private async attempt(delivery: ClaimedDelivery, startedAt: Date): Promise<AttemptRecord> {
    if (windowEnd(windowOf(delivery), this.plan).at <= startedAt)
      return unsent(delivery, { outcome: 'failed' });
    if (delivery.sandbox !== null) return simulated(delivery, delivery.sandbox);
    const letter = await this.prepare(delivery);
    if ('failure' in letter) return this.unprepared(delivery, letter.failure);
    const met = await this.transport.send({
      destination: delivery.destination,
      envelopeFrom: verpAddress(delivery.id, this.returnPathHost(delivery), this.verpKey),
      recipient: delivery.recipient,
      letter: letter.ready,
    });
    return this.decided(delivery, met, startedAt);
  }

  private decided(delivery: ClaimedDelivery, met: AttemptMet, startedAt: Date): AttemptRecord {
    const finishedAt = new Date();
    const { outcome, nextAttemptAt, answer, uncertain, remoteHost, tls, counted } = decideAttempt(met, {
      ...windowOf(delivery),
      failuresBefore: delivery.attempt - 1,
      now: finishedAt,
      random: Math.random(),
      plan: this.plan,
    });
    const silent = outcome === 'postponed';
    const said = met.kind === 'postponed' ? { smtp_code: 0, response: met.response } : answer;
    const told = { answer: said, uncertain, remoteHost, tls, counted, silent };
    return {
      delivery,
      startedAt,
      finishedAt,
      nextAttemptAt,
      outcome: silent ? 'deferred' : outcome,
      ...told,
    };
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

  /** The trouble is ours: no server was asked and no attempt counts. Only what can never work fails at once. */
  private unprepared(delivery: ClaimedDelivery, failure: unknown): AttemptRecord {
    const response = failure instanceof Error ? failure.message : String(failure);
    const answer = { smtp_code: 0, response, classification: 'Uncategorized' };
    const kind = failureKind(failure);
    this.logger.error({ err: failure, message_id: delivery.id, kind }, 'a letter could not be made');
    if (kind === 'permanent' || kind === 'poison') return unsent(delivery, { outcome: 'failed', answer });
    const nextAttemptAt = new Date(Date.now() + OUR_TROUBLE_MS);
    return unsent(delivery, { outcome: 'deferred', answer, nextAttemptAt, silent: true });
  }

  private observe(record: AttemptRecord, startedAt: Date, written: boolean): void {
    const { delivery, outcome, answer } = record;
    const durationMs = record.finishedAt.getTime() - startedAt.getTime();
    this.attempts.inc({ outcome });
    this.duration.observe({ outcome }, durationMs / 1000);
    this.logger.info(
      {
        message_id: delivery.id,
        account_id: delivery.account_id,
        domain: delivery.domain,
        recipient: maskAddress(delivery.recipient),
        attempt: delivery.attempt,
        outcome,
        smtp_code: answer?.smtp_code,
        enhanced_status_code: answer?.enhanced_status_code,
        classification: answer?.classification,
        remote_host: record.remoteHost,
        tls: record.tls,
        uncertain: record.uncertain,
        sandbox: delivery.sandbox !== null,
        next_attempt_at: record.nextAttemptAt?.toISOString(),
        duration_ms: durationMs,
        lease_lost: !written,
      },
      'delivery attempted',
    );
  }
}

const windowOf = (delivery: ClaimedDelivery) => ({
  firstAttemptAt: delivery.first_attempt_at,
  expires: delivery.expires,
});

function simulated(delivery: ClaimedDelivery, result: string): AttemptRecord {
  const { outcome, answer } = sandboxOutcome(result);
  return unsent(delivery, { outcome, answer, counted: answer !== null });
}

/** A step that ends without the network. */
function unsent(
  delivery: ClaimedDelivery,
  told: Pick<AttemptRecord, 'outcome'> & Partial<AttemptRecord>,
): AttemptRecord {
  return {
    delivery,
    startedAt: null,
    finishedAt: new Date(),
    nextAttemptAt: null,
    answer: null,
    uncertain: false,
    remoteHost: null,
    tls: false,
    counted: false,
    silent: false,
    ...told,
  };
}
