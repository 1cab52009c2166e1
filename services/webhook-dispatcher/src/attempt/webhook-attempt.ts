import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { pause, Permits } from '@postmesh/concurrency';
import { DatabaseClock } from '@postmesh/database';
import type { Ending } from '@postmesh/work';
import { Metrics, traced, type Logger, type Tracer } from '@postmesh/observability';
import { LOGGER, SETTINGS, TRACER } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { idsOf, type WebhookDelivery } from '../queue/webhook-deliveries.table.js';
import { decideAttempt, type AttemptDecision } from './attempt-decision.rules.js';
import { CallPreparation, type PreparedCall } from './call-preparation.js';
import { responseStart } from './response-start.rules.js';
import { WebhookCaller } from './webhook-caller.js';

// A responsive host returns its permits within milliseconds; an attempt does not wait longer for an unresponsive one.
const HOST_WAIT_MS = 1_000;
const BUSY_HOST_WAIT_MS = 500;

/** An attempt with an answer of the receiver, or without one. */
export interface MadeAttempt {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly decision: AttemptDecision;
  readonly redirects: number;
  /** the beginning of the answer */
  readonly response: string | null;
}

/** The result for a delivery; without an attempt no event is published. */
export interface AttemptResult {
  readonly delivery: WebhookDelivery;
  readonly attempt: MadeAttempt | null;
  readonly next: Ending['next'];
}

/** One attempt of one webhook delivery: host permit, target, secret, body, signature, POST, decision. */
@Injectable()
export class WebhookAttempt {
  private readonly attempts;
  private readonly seconds;
  /** concurrent calls of one host, for any number of its endpoints, so that customers cannot flood a host through us */
  private readonly hosts: Permits;
  private readonly stopping = new AbortController();
  private readonly idle = new AbortController();
  private inFlight = 0;
  private isCut = false;

  constructor(
    private readonly preparation: CallPreparation,
    private readonly caller: WebhookCaller,
    /** of the leased queue */
    readonly clock: DatabaseClock,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACER) private readonly tracer: Tracer,
    metrics: Metrics,
  ) {
    this.hosts = new Permits(settings.webhookPerHost);
    // each attempt that waits for its host adds a listener
    setMaxListeners(0, this.stopping.signal);
    this.attempts = metrics.counter('postmesh_webhook_attempts_total', 'Webhook attempts, by outcome', [
      'outcome',
    ]);
    this.seconds = metrics.histogram('postmesh_webhook_attempt_seconds', 'Time until a webhook answered');
  }

  async make(delivery: WebhookDelivery): Promise<AttemptResult> {
    this.inFlight++;
    try {
      return await this.attempt(delivery);
    } finally {
      this.inFlight--;
      if (this.inFlight === 0 && this.stopping.signal.aborted) this.idle.abort();
    }
  }

  /** One line and two metrics per attempt. @returns the time of the next attempt */
  log({ delivery, attempt, next }: AttemptResult, recorded: boolean): Date | null {
    if (attempt) {
      const { decision, durationMs } = attempt;
      this.attempts.inc({ outcome: decision.outcome });
      this.seconds.observe(durationMs / 1_000);
      this.logger.info(
        {
          event: 'webhook.attempted',
          ...idsOf(delivery),
          trace: delivery.trace,
          event_type: delivery.eventType,
          host: delivery.host,
          attempt: delivery.attempt,
          outcome: decision.outcome,
          status: decision.status,
          reason: decision.reason,
          redirects: attempt.redirects,
          replay_of: delivery.replayOf,
          duration_ms: durationMs,
          next_attempt_at: decision.nextAttemptAt,
          // false: stopped or claimed by another worker during the attempt, so that nothing was recorded
          recorded,
        },
        'webhook attempted',
      );
    }
    return next?.dueAt ?? null;
  }

  /** Starts no further attempts; running ones may end within the grace period, and are then cut off. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    if (this.inFlight > 0) await pause(graceMs, this.idle.signal);
    this.isCut = true;
    await this.caller.close();
  }

  private async attempt(delivery: WebhookDelivery): Promise<AttemptResult> {
    if (this.stopping.signal.aborted) return this.givenBack(delivery);
    if (!(await this.enterHost(delivery.host))) {
      return this.stopping.signal.aborted
        ? this.givenBack(delivery)
        : this.released(delivery, 'its host has as many calls as it may have at once', BUSY_HOST_WAIT_MS);
    }
    try {
      return await this.call(delivery);
    } finally {
      this.hosts.release(delivery.host);
    }
  }

  private async enterHost(host: string): Promise<boolean> {
    if (this.hosts.tryAcquire(host)) return true;
    const limit = AbortSignal.any([AbortSignal.timeout(HOST_WAIT_MS), this.stopping.signal]);
    return this.hosts.acquire(host, limit).then(
      () => true,
      () => false,
    );
  }

  private async call(delivery: WebhookDelivery): Promise<AttemptResult> {
    const prepared = await this.preparation.prepare(delivery);
    if (prepared.kind === 'later') return this.released(delivery, prepared.reason, prepared.waitMs);
    if (prepared.kind === 'gone') return this.gone(delivery, prepared.why);
    try {
      const span = this.tracer.follow(delivery.trace, 'webhook.attempt', 'client');
      const attempt = await traced(
        span,
        () => this.post(delivery, prepared),
        ({ decision }) => ({
          'postmesh.webhook_id': delivery.endpointId,
          'postmesh.account_id': delivery.accountId,
          'postmesh.attempt': delivery.attempt,
          'postmesh.outcome': decision.outcome,
          'http.response.status_code': decision.status,
        }),
      );
      return this.isCut ? this.givenBack(delivery) : { delivery, attempt, next: nextOf(delivery, attempt) };
    } finally {
      prepared.release();
    }
  }

  private async post(delivery: WebhookDelivery, { url, sign }: PreparedCall): Promise<MadeAttempt> {
    const startedAt = this.clock.date();
    const { headers, body } = sign(startedAt);
    const response = await this.caller.call(url, headers, body);
    const { webhookRetries, routeRetries, webhookRetryScale } = this.settings;
    const decision = decideAttempt(delivery.attempt, response, {
      now: this.clock.date(),
      waits: delivery.target === 'route' ? routeRetries : webhookRetries,
      scale: webhookRetryScale,
      random: Math.random(),
    });
    const redirects = response.kind === 'answered' ? response.redirects : 0;
    const { durationMs } = response;
    return { startedAt, durationMs, decision, redirects, response: responseStart(response) };
  }

  /** Disabled, deleted, or without its message: the delivery ends without a further call (spec 2-messages §17, §18.8). */
  private gone(delivery: WebhookDelivery, why: string): AttemptResult {
    this.logger.info({ event: 'webhook.gone', ...idsOf(delivery), why }, 'webhook gone, delivery ended');
    return { delivery, attempt: null, next: null };
  }

  private givenBack(delivery: WebhookDelivery): AttemptResult {
    return this.released(delivery, 'its dispatcher stopped', 0);
  }

  /** Reschedules without counting an attempt, since no call was possible for an internal reason. */
  private released(delivery: WebhookDelivery, reason: string, waitMs: number): AttemptResult {
    const dueAt = new Date(this.clock.now() + waitMs);
    const firstAttemptAt = delivery.attempt > 1 ? delivery.firstAttemptAt : null;
    return {
      delivery,
      attempt: null,
      next: { dueAt, reason, attempts: delivery.attempt - 1, firstAttemptAt },
    };
  }
}

function nextOf({ attempt, firstAttemptAt }: WebhookDelivery, { decision }: MadeAttempt): Ending['next'] {
  if (decision.nextAttemptAt === null) return null;
  const reason = decision.reason ?? '';
  return { dueAt: decision.nextAttemptAt, reason, attempts: attempt, firstAttemptAt };
}
