import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookDeliveryAttempted } from '@postmesh/webhook-dispatcher-contract';
import { DatabaseClock, insertRows } from '@postmesh/database';
import { MAX_CRASHES, type Ending } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { LOGGER } from '@postmesh/service-host';
import type { AttemptResult, MadeAttempt } from '../attempt/webhook-attempt.js';
import { EndpointStates } from '../endpoints/endpoint-states.js';
import { idsOf, type WebhookDelivery } from '../queue/webhook-deliveries.table.js';
import { EndedDeliveries } from './ended-deliveries.js';

interface Attempted {
  readonly delivery: WebhookDelivery;
  readonly attempt: MadeAttempt;
}

/** The recorded row of an attempt; `unknown`: its dispatcher died. */
interface Kept {
  readonly delivery: WebhookDelivery;
  readonly attempt: Omit<MadeAttempt, 'decision'> & {
    readonly decision: Omit<MadeAttempt['decision'], 'outcome'> & {
      readonly outcome: MadeAttempt['decision']['outcome'] | 'unknown';
    };
  };
}

const UNKNOWN = 'its dispatcher stopped in the middle of the attempt';
const SET_ASIDE = `set aside: ${MAX_CRASHES} dispatchers one after the other stopped in the middle of an attempt of it`;

/**
 * Records the results of attempts in one transaction: the rows of the queue, the attempts and ended deliveries that are
 * kept for operators and replays, the states of failing endpoints, and `webhook-delivery-attempted`, by which webhooks
 * counts calls.
 */
@Injectable()
export class AttemptRecorder {
  private readonly unknown;
  private readonly setAside;

  constructor(
    private readonly outbox: Outbox,
    private readonly ended: EndedDeliveries,
    private readonly states: EndpointStates,
    private readonly clock: DatabaseClock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.unknown = metrics.counter(
      'postmesh_webhook_uncertain_total',
      'Webhook attempts without a known end, since their dispatcher died; they are made again under the same id',
    );
    this.setAside = metrics.counter(
      'postmesh_webhook_set_aside_total',
      'Webhook deliveries that were given up because dispatchers died in the middle of their attempts',
    );
  }

  /**
   * @param settle ends or releases the rows with a valid lease
   * @returns for each result whether its lease was valid
   */
  async record(
    manager: EntityManager,
    results: readonly AttemptResult[],
    settle: (endings: readonly Ending[]) => Promise<boolean[]>,
  ): Promise<boolean[]> {
    const own = await settle(results.map(({ delivery, next }) => ({ item: delivery, next })));
    const settled = results.filter((_, nth) => own[nth]);
    const made = settled.flatMap(({ delivery, attempt }) => (attempt ? [{ delivery, attempt }] : []));
    await insertRows(manager, 'webhook_attempts', ATTEMPT_COLUMNS, made);
    await this.ended.keep(manager, settled, this.clock.date());
    await this.ended.recovered(manager, settled);
    await this.outbox.add(manager, made.map(toEvent));
    // last, since it is the one statement at which dispatchers may wait for each other
    await this.states.note(manager, settled);
    return own;
  }

  /** Deliveries of a dead dispatcher, which are made again under the same number. Operators see both attempts. */
  async recordAbandoned(manager: EntityManager, deliveries: readonly WebhookDelivery[]): Promise<void> {
    const made = deliveries.map((delivery) => {
      const number = { ...delivery, attempt: delivery.attempt + 1 };
      return { delivery: number, attempt: this.cut('unknown', UNKNOWN) };
    });
    await insertRows(manager, 'webhook_attempts', ATTEMPT_COLUMNS, made);
    this.unknown.inc({}, deliveries.length);
    for (const { delivery } of made) {
      const line = { event: 'webhook.abandoned', ...idsOf(delivery), attempt: delivery.attempt };
      this.logger.warn(line, 'dispatcher died during the attempt, will retry');
    }
  }

  /** Deliveries that crashed several dispatchers in a row are dropped, and can be replayed. */
  async recordSetAside(manager: EntityManager, deliveries: readonly WebhookDelivery[]): Promise<void> {
    const made = deliveries.map((delivery) => ({
      delivery: { ...delivery, attempt: delivery.attempt + 1 },
      attempt: this.cut('dropped', SET_ASIDE),
      next: null,
    }));
    await insertRows(manager, 'webhook_attempts', ATTEMPT_COLUMNS, made);
    await this.ended.keep(manager, made, this.clock.date());
    await this.outbox.add(manager, made.map(toEvent));
    this.setAside.inc({}, deliveries.length);
    for (const { delivery } of made) {
      const line = { event: 'webhook.set_aside', ...idsOf(delivery), attempt: delivery.attempt };
      this.logger.error(line, 'dispatchers died during the attempts, delivery set aside');
    }
  }

  private cut<Outcome extends 'unknown' | 'dropped'>(outcome: Outcome, reason: string) {
    const decision = { outcome, status: null, reason, nextAttemptAt: null, askedUntil: null };
    return { startedAt: this.clock.date(), durationMs: 0, decision, redirects: 0, response: null };
  }
}

const ATTEMPT_COLUMNS = {
  delivery_id: ['uuid', ({ delivery }: Kept) => delivery.id],
  attempt: ['int', ({ delivery }: Kept) => delivery.attempt],
  target: ['text', ({ delivery }: Kept) => delivery.target],
  endpoint_id: ['uuid', ({ delivery }: Kept) => delivery.endpointId],
  account_id: ['uuid', ({ delivery }: Kept) => delivery.accountId],
  event_type: ['text', ({ delivery }: Kept) => delivery.eventType],
  host: ['text', ({ delivery }: Kept) => delivery.host],
  started_at: ['timestamptz', ({ attempt }: Kept) => attempt.startedAt],
  duration_ms: ['int', ({ attempt }: Kept) => Math.round(attempt.durationMs)],
  status: ['int', ({ attempt }: Kept) => attempt.decision.status],
  redirects: ['int', ({ attempt }: Kept) => attempt.redirects],
  reason: ['text', ({ attempt }: Kept) => attempt.decision.reason],
  response: ['text', ({ attempt }: Kept) => attempt.response],
  outcome: ['text', ({ attempt }: Kept) => attempt.decision.outcome],
} as const;

const toEvent = ({ delivery, attempt: { startedAt, decision } }: Attempted) =>
  WebhookDeliveryAttempted.make(
    {
      delivery_id: delivery.id,
      webhook_id: delivery.endpointId,
      ...(delivery.target === 'route' ? { target: 'route' as const } : {}),
      attempt: delivery.attempt,
      success: decision.outcome === 'succeeded',
      status: decision.status,
      reason: decision.reason,
      attempted_at: startedAt.toISOString(),
      next_attempt_at: decision.nextAttemptAt?.toISOString() ?? null,
    },
    { account_id: delivery.accountId, trace: delivery.trace },
  );
