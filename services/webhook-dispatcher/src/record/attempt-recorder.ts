import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookDeliveryAttempted } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import type { Ending } from '@postmesh/leased-queue';
import { Outbox } from '@postmesh/outbox';
import type { AttemptResult, MadeAttempt } from '../attempt/webhook-attempt.js';
import type { WebhookDelivery } from '../queue/webhook-deliveries.table.js';

interface Attempted {
  readonly delivery: WebhookDelivery;
  readonly attempt: MadeAttempt;
}

/** Writes down what came of attempts, with the events that tell of them. */
@Injectable()
export class AttemptRecorder {
  constructor(private readonly outbox: Outbox) {}

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
    const made = results.flatMap(({ delivery, attempt }, nth) =>
      own[nth] && attempt ? [{ delivery, attempt }] : [],
    );
    await insertAttempts(manager, made);
    await this.outbox.add(manager, made.map(toEvent));
    return own;
  }
}

async function insertAttempts(manager: EntityManager, made: readonly Attempted[]): Promise<void> {
  await insertRows(
    manager,
    'attempts',
    {
      delivery_id: ['uuid', ({ delivery }) => delivery.id],
      attempt: ['int', ({ delivery }) => delivery.attempt],
      webhook_id: ['uuid', ({ delivery }) => delivery.webhookId],
      event_type: ['text', ({ delivery }) => delivery.eventType],
      host: ['text', ({ delivery }) => delivery.key],
      started_at: ['timestamptz', ({ attempt }) => attempt.startedAt],
      duration_ms: ['int', ({ attempt }) => Math.round(attempt.durationMs)],
      status: ['int', ({ attempt }) => attempt.decision.status],
      reason: ['text', ({ attempt }) => attempt.decision.reason],
      outcome: ['text', ({ attempt }) => attempt.decision.outcome],
    },
    made,
    { onConflict: 'do nothing' },
  );
}

const toEvent = ({ delivery, attempt: { startedAt, decision } }: Attempted) =>
  WebhookDeliveryAttempted.make(
    {
      delivery_id: delivery.id,
      webhook_id: delivery.webhookId,
      attempt: delivery.attempt,
      success: decision.outcome === 'succeeded',
      status: decision.status,
      reason: decision.reason,
      attempted_at: startedAt.toISOString(),
      next_attempt_at: decision.nextAttemptAt?.toISOString() ?? null,
    },
    { account_id: delivery.accountId, trace: delivery.trace },
  );
