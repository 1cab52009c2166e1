import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookDeliveryAttempted } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import type { Ending } from '@postmesh/leased-queue';
import { Outbox } from '@postmesh/outbox';
import type { AttemptResult, MadeAttempt } from '../attempt/webhook-attempt.js';
import { EndpointStates } from '../endpoints/endpoint-states.js';
import type { WebhookDelivery } from '../queue/webhook-deliveries.table.js';
import { EndedDeliveries } from './ended-deliveries.js';

interface Attempted {
  readonly delivery: WebhookDelivery;
  readonly attempt: MadeAttempt;
}

/** Writes down what came of attempts, with the events that tell of them. */
@Injectable()
export class AttemptRecorder {
  constructor(
    private readonly outbox: Outbox,
    private readonly ended: EndedDeliveries,
    private readonly states: EndpointStates,
  ) {}

  /**
   * @param settle ends or releases the rows whose lease is still ours
   * @returns for each result whether it was
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
    await this.ended.keep(manager, settled);
    await this.outbox.add(manager, made.map(toEvent));
    // last, as it is the one statement for which dispatchers may wait for each other
    await this.states.note(manager, settled);
    return own;
  }
}

const ATTEMPT_COLUMNS = {
  delivery_id: ['uuid', ({ delivery }: Attempted) => delivery.id],
  attempt: ['int', ({ delivery }: Attempted) => delivery.attempt],
  target: ['text', ({ delivery }: Attempted) => delivery.target],
  endpoint_id: ['uuid', ({ delivery }: Attempted) => delivery.endpointId],
  account_id: ['uuid', ({ delivery }: Attempted) => delivery.accountId],
  event_type: ['text', ({ delivery }: Attempted) => delivery.eventType],
  host: ['text', ({ delivery }: Attempted) => delivery.host],
  started_at: ['timestamptz', ({ attempt }: Attempted) => attempt.startedAt],
  duration_ms: ['int', ({ attempt }: Attempted) => Math.round(attempt.durationMs)],
  status: ['int', ({ attempt }: Attempted) => attempt.decision.status],
  redirects: ['int', ({ attempt }: Attempted) => attempt.redirects],
  reason: ['text', ({ attempt }: Attempted) => attempt.decision.reason],
  response: ['text', ({ attempt }: Attempted) => attempt.response],
  outcome: ['text', ({ attempt }: Attempted) => attempt.decision.outcome],
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
