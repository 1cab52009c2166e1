import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { WebhookDeliveryRequested } from '@postmesh/webhooks-contract';
import { databaseNow, insertRows } from '@postmesh/database';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { AttemptResult } from '../attempt/webhook-attempt.js';
import { messageIdOf } from '../queue/webhook-deliveries.table.js';

// Bodies of webhooks have a few kilobytes by contract; a larger one is not kept, and its delivery cannot be replayed.
const MAX_KEPT_BODY = 65_536;

type Requested = ReturnType<typeof WebhookDeliveryRequested.parse>;

/** Deliveries that ended are kept with their bodies for some days, so that they can be replayed (ADR 51). */
@Injectable()
export class EndedDeliveries {
  /** false: `POSTMESH_WEBHOOK_REPLAY_DAYS` is 0 */
  readonly isKept: boolean;

  constructor(@Inject(SETTINGS) { webhookReplayDays }: Settings) {
    this.isKept = webhookReplayDays > 0;
  }

  /**
   * Keeps those of the results whose delivery has ended.
   * @param endedAt by the clock of the database, as replays select by it
   */
  async keep(manager: EntityManager, results: readonly AttemptResult[], endedAt: Date): Promise<void> {
    if (!this.isKept) return;
    const ended = results.filter(({ next }) => next === null).map((result) => ({ ...result, endedAt }));
    await insertRows(manager, 'ended_deliveries', COLUMNS, ended);
  }

  /** Marks the first deliveries of successful replays, so that they are not recovered again. */
  async recovered(manager: EntityManager, made: readonly AttemptResult[]): Promise<void> {
    const succeeded = made.flatMap(({ delivery, attempt }) =>
      attempt?.decision.outcome === 'succeeded' && delivery.replayOf !== null ? [delivery.replayOf] : [],
    );
    if (succeeded.length === 0) return;
    await manager.query('update ended_deliveries set recovered_at = now() where id = any($1::uuid[])', [
      succeeded,
    ]);
  }

  /**
   * Keeps deliveries without an attempt: `set-aside` because their account has too many pending, `missed` because
   * their webhook is disabled. Part of the intake's transaction.
   * @returns the time at which they ended
   */
  async keepRequested(
    manager: EntityManager,
    events: readonly Requested[],
    outcome: 'set-aside' | 'missed',
  ): Promise<Date> {
    const now = await databaseNow(manager);
    const rows = events.map((event) => ({ ...event, now, outcome }));
    if (this.isKept) await insertRows(manager, 'ended_deliveries', REQUESTED_COLUMNS, rows);
    return now;
  }

  /**
   * Drops pending deliveries of stopped endpoints, and keeps them, so that they can be replayed after a repair.
   * @returns the number of dropped deliveries
   */
  async dropPending(manager: EntityManager, endpointIds: readonly string[]): Promise<number> {
    const [found]: { dropped: number }[] = await manager.query(this.isKept ? MOVE : DROP, [endpointIds]);
    return found?.dropped ?? 0;
  }
}

const outcomeOf = ({ attempt }: AttemptResult): string => {
  if (attempt === null) return 'stopped';
  return attempt.decision.outcome === 'succeeded' ? 'succeeded' : 'dropped';
};

type Ended = AttemptResult & { readonly endedAt: Date };

const COLUMNS = {
  id: ['uuid', ({ delivery }: Ended) => delivery.id],
  account_id: ['uuid', ({ delivery }: Ended) => delivery.accountId],
  target: ['text', ({ delivery }: Ended) => delivery.target],
  endpoint_id: ['uuid', ({ delivery }: Ended) => delivery.endpointId],
  host: ['text', ({ delivery }: Ended) => delivery.host],
  trace: ['text', ({ delivery }: Ended) => delivery.trace],
  webhook_message_id: ['text', ({ delivery }: Ended) => delivery.webhookMessageId],
  event_type: ['text', ({ delivery }: Ended) => delivery.eventType],
  body: ['text', ({ delivery }: Ended) => keptBody(delivery.body)],
  route: ['text', ({ delivery }: Ended) => delivery.route && JSON.stringify(delivery.route)],
  message_id: ['uuid', ({ delivery }: Ended) => delivery.messageId],
  requested_at: ['timestamptz', ({ delivery }: Ended) => delivery.requestedAt],
  ended_at: ['timestamptz', ({ endedAt }: Ended) => endedAt],
  outcome: ['text', outcomeOf],
  attempts: ['int', ({ delivery, attempt }: Ended) => delivery.attempt - (attempt === null ? 1 : 0)],
  replay_of: ['uuid', ({ delivery }: Ended) => delivery.replayOf],
} as const;

type Unmade = Requested & { readonly now: Date; readonly outcome: 'set-aside' | 'missed' };

const REQUESTED_COLUMNS = {
  id: ['uuid', ({ data }: Unmade) => data.delivery_id],
  account_id: ['uuid', ({ account_id }: Unmade) => account_id],
  target: ['text', ({ data }: Unmade) => (data.route === undefined ? 'webhook' : 'route')],
  endpoint_id: ['uuid', ({ data }: Unmade) => data.webhook_id],
  host: ['text', ({ data }: Unmade) => data.host],
  trace: ['text', ({ trace }: Unmade) => trace],
  webhook_message_id: ['text', ({ data }: Unmade) => data.webhook_message_id],
  event_type: ['text', ({ data }: Unmade) => data.event_type],
  body: ['text', ({ data }: Unmade) => keptBody(data.body)],
  route: ['text', ({ data }: Unmade) => (data.route === undefined ? null : JSON.stringify(data.route))],
  message_id: ['uuid', ({ data }: Unmade) => messageIdOf(data)],
  // an event from a time when its webhook was disabled belongs to that time, also when it arrives late
  requested_at: [
    'timestamptz',
    ({ data, outcome, now }: Unmade) => (outcome === 'missed' ? data.due_at : now),
  ],
  ended_at: ['timestamptz', ({ now }: Unmade) => now],
  outcome: ['text', ({ outcome }: Unmade) => outcome],
  attempts: ['int', () => 0],
} as const;

export const isKeptBody = (body: string): boolean => body.length <= MAX_KEPT_BODY;
const keptBody = (body: string): string | null => (isKeptBody(body) ? body : null);

const DROPPED =
  'with dropped as (delete from webhook_deliveries where webhook_id = any($1::uuid[]) returning *)';
const COUNT = 'select count(*)::int as dropped from dropped';
const DROP = `${DROPPED} ${COUNT}`;
const MOVE = `${DROPPED}, moved as (
  insert into ended_deliveries (id, account_id, target, endpoint_id, host, trace, webhook_message_id, event_type, body,
    route, message_id, requested_at, ended_at, outcome, attempts, replay_of)
  select id, account_id, coalesce(target, 'webhook'), webhook_id, host, trace, webhook_message_id, event_type,
    case when length(body) <= ${MAX_KEPT_BODY} then body end, route, message_id, coalesce(requested_at, now()), now(), 'stopped',
    attempts, replay_of
  from dropped) ${COUNT}`;
