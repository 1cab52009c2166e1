import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WebhookCallAttempted } from '@postmesh/contracts';
import { GroupCommit } from '@postmesh/database';
import { Outbox } from '@postmesh/outbox';
import type { AttemptDecision } from '../attempt/attempt-decision.rules.js';
import type { ClaimedCall } from '../dispatch/owed-calls.port.js';

export interface MadeAttempt {
  call: ClaimedCall;
  startedAt: Date;
  durationMs: number;
  decision: AttemptDecision;
}

const LARGEST_GROUP = 200;
// More than can be under way at once: nobody is ever refused.
const MOST_PENDING = 10_000;

// Only the latest taker of a call writes: who was overtaken, or whose webhook was stopped meanwhile, finds no row.
const SETTLE = `
  with made as (
    select * from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[])
      as made(id, lease, next_attempt_at, reason)),
  ended as (
    delete from owed_calls owed using made
    where owed.id = made.id and owed.lease = made.lease and made.next_attempt_at is null
    returning owed.id),
  waiting as (
    update owed_calls owed
    set attempts = owed.attempts + 1, due_at = made.next_attempt_at, reason = made.reason,
        leased_by = null, leased_until = null
    from made where owed.id = made.id and owed.lease = made.lease and made.next_attempt_at is not null
    returning owed.id)
  select id from ended union all select id from waiting`;

/** Writes down what came of attempts: many per transaction, with the events that tell of them. */
@Injectable()
export class AttemptRecorder {
  private readonly group: GroupCommit<MadeAttempt, boolean>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {
    this.group = new GroupCommit((attempts) => this.commit(attempts), {
      maxWeight: LARGEST_GROUP,
      flushers: 2,
      maxPending: MOST_PENDING,
    });
  }

  /** @returns false when the call was not this dispatcher's any more */
  record(attempt: MadeAttempt): Promise<boolean> {
    return this.group.add(attempt);
  }

  /**
   * Puts a call off without counting an attempt: none could be made, for a reason of ours.
   * @param reason for people who look at the queue
   */
  async putOff(call: ClaimedCall, reason: string, waitMs: number): Promise<void> {
    await this.dataSource.query(
      `update owed_calls set due_at = now() + $3 * interval '1 millisecond', reason = $4,
         leased_by = null, leased_until = null
       where id = $1 and lease = $2`,
      [call.id, call.lease, waitMs, reason],
    );
  }

  private commit(attempts: readonly MadeAttempt[]): Promise<boolean[]> {
    return this.dataSource.transaction(async (manager) => {
      const settled = await settle(manager, attempts);
      const own = attempts.filter(({ call }) => settled.has(call.id));
      await insertAttempts(manager, own);
      await this.outbox.add(manager, own.map(toEvent));
      return attempts.map(({ call }) => settled.has(call.id));
    });
  }
}

async function settle(
  manager: EntityManager,
  attempts: readonly MadeAttempt[],
): Promise<ReadonlySet<string>> {
  const rows: { id: string }[] = await manager.query(SETTLE, [
    attempts.map(({ call }) => call.id),
    attempts.map(({ call }) => call.lease),
    attempts.map(({ decision }) => decision.nextAttemptAt),
    attempts.map(({ decision }) => decision.reason),
  ]);
  return new Set(rows.map((row) => row.id));
}

async function insertAttempts(manager: EntityManager, attempts: readonly MadeAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await manager.query(
    `insert into attempts (call_id, attempt, webhook_id, event_type, started_at, duration_ms, status, reason, outcome)
     select * from unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::text[], $5::timestamptz[], $6::int[],
       $7::smallint[], $8::text[], $9::text[])
     on conflict do nothing`,
    [
      attempts.map(({ call }) => call.id),
      attempts.map(({ call }) => call.attempt),
      attempts.map(({ call }) => call.webhookId),
      attempts.map(({ call }) => call.eventType),
      attempts.map(({ startedAt }) => startedAt),
      attempts.map(({ durationMs }) => durationMs),
      attempts.map(({ decision }) => decision.status),
      attempts.map(({ decision }) => decision.reason),
      attempts.map(({ decision }) => decision.outcome),
    ],
  );
}

function toEvent({ call, startedAt, decision }: MadeAttempt) {
  return WebhookCallAttempted.make(
    {
      call_id: call.id,
      webhook_id: call.webhookId,
      attempt: call.attempt,
      success: decision.outcome === 'succeeded',
      status: decision.status,
      reason: decision.reason,
      attempted_at: startedAt.toISOString(),
      next_attempt_at: decision.nextAttemptAt?.toISOString() ?? null,
    },
    { account_id: call.accountId, trace: call.trace },
  );
}
