import { Inject, Injectable } from '@nestjs/common';
import { pause } from '@postmesh/concurrency';
import { failureKind } from '@postmesh/contracts';
import { DatabaseClock } from '@postmesh/database';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import {
  decide,
  decideProblem,
  givenBack,
  notAnswered,
  notSending,
  type BatchDecision,
  type RecipientOutcome,
} from './batch-decision.rules.js';
import { PENDING, type CampaignBatch } from './campaign-batches.table.js';
import { HandOver } from './hand-over.js';
import { TakeRecipients, type Taken } from './take-recipients.js';

/** The result of an attempt. */
export interface BatchResult extends BatchDecision {
  readonly batch: CampaignBatch;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly skipped: number;
  /** the day whose limit is refunded for recipients without a message */
  readonly reservedDay: string | null;
}

/** One attempt of one batch: take recipients, hand them over, decide the next step of the batch. */
@Injectable()
export class BatchAttempt {
  private readonly batches;
  private readonly recipients;
  private readonly seconds;
  private readonly stopping = new AbortController();
  private readonly idle = new AbortController();
  private inFlight = 0;

  constructor(
    private readonly take: TakeRecipients,
    private readonly handOver: HandOver,
    /** of the leased queue */
    readonly clock: DatabaseClock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.batches = metrics.counter(
      'postmesh_campaign_batches_total',
      'Attempts to hand over a batch of a campaign, by result',
      ['result'],
    );
    this.recipients = metrics.counter(
      'postmesh_campaign_recipients_total',
      'Recipients of campaigns that were handed over or left out, by status',
      ['status'],
    );
    this.seconds = metrics.histogram(
      'postmesh_campaign_batch_seconds',
      'Time to take and hand over a batch of a campaign, with its waits for other mail',
    );
  }

  /** Never throws: a failure is a result, too. */
  async make(batch: CampaignBatch): Promise<BatchResult> {
    this.inFlight++;
    const startedAt = new Date();
    const begun = performance.now();
    try {
      const made = await this.attempt(batch);
      return { ...made, batch, startedAt, durationMs: Math.round(performance.now() - begun) };
    } finally {
      this.inFlight--;
      if (this.inFlight === 0 && this.stopping.signal.aborted) this.idle.abort();
    }
  }

  /** One line and three metrics per batch. @returns the time of the next attempt */
  log(made: BatchResult, recorded: boolean): Date | null {
    const { batch, result, outcomes, skipped, next } = made;
    const count = (wanted: RecipientOutcome['status']) =>
      outcomes.filter(({ status }) => status === wanted).length;
    const counts = {
      queued: count('queued'),
      suppressed: count('suppressed'),
      failed: count('failed'),
      skipped,
    };
    this.batches.inc({ result });
    this.seconds.observe(made.durationMs / 1_000);
    for (const [status, value] of Object.entries(counts)) this.recipients.inc({ status }, value);
    this.logger.info(
      {
        event: 'campaign.batch_handed_over',
        batch_id: batch.id,
        campaign_id: batch.campaignId,
        account_id: batch.accountId,
        positions: [batch.firstPosition, batch.lastPosition],
        attempt: batch.attempt,
        result,
        reason: next?.reason ?? null,
        ...counts,
        duration_ms: made.durationMs,
        next_attempt_at: next && next.state !== PENDING ? next.dueAt : null,
        // false: stopped or claimed by another worker during the attempt, so that nothing was recorded
        recorded,
      },
      'campaign batch handed over',
    );
    return next === null || next.state === PENDING ? null : next.dueAt;
  }

  /** Starts no further attempts; running ones may end within the grace period. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    if (this.inFlight > 0) await pause(graceMs, this.idle.signal);
  }

  private async attempt(
    batch: CampaignBatch,
  ): Promise<BatchDecision & Pick<BatchResult, 'skipped' | 'reservedDay'>> {
    const { reservedDay } = batch;
    if (this.stopping.signal.aborted)
      return { ...givenBack(batch, this.clock.now()), skipped: 0, reservedDay };
    let taken: Taken | undefined;
    try {
      taken = await this.take.execute(batch);
      if (!taken) return { ...notSending(this.clock.now()), skipped: 0, reservedDay };
      return { ...(await this.handTaken(taken)), skipped: taken.skipped, reservedDay: taken.reservedDay };
    } catch (error) {
      this.logger.warn(
        { event: 'campaign.batch_failed', batch_id: batch.id, campaign_id: batch.campaignId, err: error },
        'handing over a campaign batch failed, will retry',
      );
      const isRefused = failureKind(error) === 'permanent';
      return {
        ...notAnswered(batch, taken, isRefused, this.clock.now()),
        skipped: taken?.skipped ?? 0,
        reservedDay,
      };
    }
  }

  private async handTaken(taken: Taken): Promise<BatchDecision> {
    if (taken.recipients.length === 0) return decide(taken, [], this.clock.now());
    const { campaign, recipients } = taken;
    const { outcomes, problem } = await this.handOver.execute(campaign, recipients, this.stopping.signal);
    const now = this.clock.now();
    return problem ? decideProblem(taken, outcomes, problem, now) : decide(taken, outcomes, now);
  }
}
