import { Inject, Injectable } from '@nestjs/common';
import { pause } from '@postmesh/concurrency';
import type { WebhookTarget } from '@postmesh/contracts';
import type { Ending } from '@postmesh/leased-queue';
import { Metrics, type Logger } from '@postmesh/observability';
import { SecretBox } from '@postmesh/secrets';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { WebhookDelivery } from '../queue/webhook-deliveries.table.js';
import { decideAttempt, type AttemptDecision } from './attempt-decision.rules.js';
import { signedHeaders } from './signature.rules.js';
import { WebhookCaller } from './webhook-caller.js';
import { WebhookTargets } from './webhook-targets.js';

// A secret that cannot be read is ours to mend (POSTMESH_SECRET_KEYS); until then nothing is lost.
const UNREADABLE_WAIT_MS = 60_000;
const UNKNOWN_TARGET_WAIT_MS = 15_000;

/** An attempt that a receiver answered, or failed to answer. */
export interface MadeAttempt {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly decision: AttemptDecision;
}

/** What becomes of a delivery; without an attempt there is nothing to publish. */
export interface AttemptResult {
  readonly delivery: WebhookDelivery;
  readonly attempt: MadeAttempt | null;
  readonly next: Ending['next'];
}

/** One attempt of one webhook delivery: target, secret, signature, POST, decision. */
@Injectable()
export class WebhookAttempt {
  private readonly attempts;
  private readonly seconds;
  private readonly stopping = new AbortController();
  private readonly idle = new AbortController();
  private inFlight = 0;
  private isCut = false;

  constructor(
    private readonly targets: WebhookTargets,
    private readonly caller: WebhookCaller,
    private readonly secrets: SecretBox,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
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

  /** One line and two metrics per attempt. @returns when the delivery is due again */
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
          host: delivery.key,
          attempt: delivery.attempt,
          outcome: decision.outcome,
          status: decision.status,
          reason: decision.reason,
          duration_ms: durationMs,
          next_attempt_at: decision.nextAttemptAt,
          // false: stopped or taken over meanwhile, so nothing was written down
          recorded,
        },
        'webhook attempted',
      );
    }
    return next?.dueAt ?? null;
  }

  /** Begins nothing more; what is in flight may end within the grace, and is then cut off. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    if (this.inFlight > 0) await pause(graceMs, this.idle.signal);
    this.isCut = true;
    await this.caller.close();
  }

  private async attempt(delivery: WebhookDelivery): Promise<AttemptResult> {
    if (this.stopping.signal.aborted) return this.givenBack(delivery);
    const target = await this.findTarget(delivery);
    if (target === 'unknown')
      return released(delivery, 'its URL cannot be asked for', UNKNOWN_TARGET_WAIT_MS);
    if (target === undefined) return this.gone(delivery);
    const secret = this.openSecret(delivery, target);
    if (secret === undefined)
      return released(delivery, 'its signing secret cannot be read', UNREADABLE_WAIT_MS);
    const attempt = await this.post(delivery, target.url, secret);
    return this.isCut ? this.givenBack(delivery) : { delivery, attempt, next: nextOf(delivery, attempt) };
  }

  private async findTarget(delivery: WebhookDelivery): Promise<WebhookTarget | undefined | 'unknown'> {
    try {
      return await this.targets.find(delivery.webhookId);
    } catch (error) {
      this.logger.warn(
        { event: 'webhook.target_unknown', err: error, ...idsOf(delivery) },
        'webhook target unknown',
      );
      return 'unknown';
    }
  }

  private openSecret(delivery: WebhookDelivery, target: WebhookTarget): string | undefined {
    try {
      return this.secrets.open(target.sealed_secret, `webhook/${delivery.webhookId}`);
    } catch (error) {
      this.logger.error(
        { event: 'webhook.secret_unreadable', err: error, ...idsOf(delivery) },
        'webhook secret cannot be read',
      );
      return undefined;
    }
  }

  private async post(delivery: WebhookDelivery, url: string, secret: string): Promise<MadeAttempt> {
    const startedAt = new Date();
    const body = Buffer.from(delivery.body);
    const headers = signedHeaders({ messageId: delivery.webhookMessageId, at: startedAt, body, secret });
    const response = await this.caller.call(url, headers, body);
    const timing = { now: new Date(), scale: this.settings.webhookRetryScale, random: Math.random() };
    const decision = decideAttempt(delivery.attempt, response, timing);
    return { startedAt, durationMs: response.durationMs, decision };
  }

  /** Disabled or deleted: nothing more is posted to it (spec 2-messages §17, §18.8). */
  private gone(delivery: WebhookDelivery): AttemptResult {
    this.logger.info({ event: 'webhook.gone', ...idsOf(delivery) }, 'webhook gone, delivery ended');
    return { delivery, attempt: null, next: null };
  }

  private givenBack(delivery: WebhookDelivery): AttemptResult {
    return released(delivery, 'its dispatcher stopped', 0);
  }
}

/** Waits on without counting an attempt: none could be made, for a reason of ours. */
const released = (delivery: WebhookDelivery, reason: string, waitMs: number): AttemptResult => ({
  delivery,
  attempt: null,
  next: {
    dueAt: new Date(Date.now() + waitMs),
    reason,
    attempts: delivery.attempt - 1,
    firstAttemptAt: delivery.attempt > 1 ? delivery.firstAttemptAt : null,
  },
});

function nextOf({ attempt, firstAttemptAt }: WebhookDelivery, { decision }: MadeAttempt): Ending['next'] {
  if (decision.nextAttemptAt === null) return null;
  const reason = decision.reason ?? '';
  return { dueAt: decision.nextAttemptAt, reason, attempts: attempt, firstAttemptAt };
}

const idsOf = (delivery: WebhookDelivery) => ({
  delivery_id: delivery.id,
  webhook_id: delivery.webhookId,
  account_id: delivery.accountId,
});
