import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { insertRows } from '@postmesh/database';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { AttemptResult } from '../attempt/webhook-attempt.js';

// Bodies of webhooks have a few kilobytes by contract; what is larger is written down without it and cannot be replayed.
const MAX_KEPT_BODY = 65_536;

/** Deliveries that ended are kept with their bodies for some days, so that they can be replayed (ADR 51). */
@Injectable()
export class EndedDeliveries {
  private readonly isKept: boolean;

  constructor(@Inject(SETTINGS) { webhookReplayDays }: Settings) {
    this.isKept = webhookReplayDays > 0;
  }

  /** Those of the results whose delivery is over. */
  async keep(manager: EntityManager, results: readonly AttemptResult[]): Promise<void> {
    if (!this.isKept) return;
    const ended = results.filter(({ next }) => next === null);
    await insertRows(manager, 'ended_deliveries', COLUMNS, ended);
  }

  /**
   * Drops what is pending of endpoints that were stopped, and keeps it: who has mended them can replay it.
   * @returns how many were dropped
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

const COLUMNS = {
  id: ['uuid', ({ delivery }: AttemptResult) => delivery.id],
  account_id: ['uuid', ({ delivery }: AttemptResult) => delivery.accountId],
  target: ['text', ({ delivery }: AttemptResult) => delivery.target],
  endpoint_id: ['uuid', ({ delivery }: AttemptResult) => delivery.endpointId],
  host: ['text', ({ delivery }: AttemptResult) => delivery.host],
  trace: ['text', ({ delivery }: AttemptResult) => delivery.trace],
  webhook_message_id: ['text', ({ delivery }: AttemptResult) => delivery.webhookMessageId],
  event_type: ['text', ({ delivery }: AttemptResult) => delivery.eventType],
  body: ['text', ({ delivery }: AttemptResult) => keptBody(delivery.body)],
  route: ['text', ({ delivery }: AttemptResult) => delivery.route && JSON.stringify(delivery.route)],
  requested_at: ['timestamptz', ({ delivery }: AttemptResult) => delivery.requestedAt],
  ended_at: ['timestamptz', () => new Date()],
  outcome: ['text', outcomeOf],
  attempts: ['int', ({ delivery, attempt }: AttemptResult) => delivery.attempt - (attempt === null ? 1 : 0)],
  replay_of: ['uuid', ({ delivery }: AttemptResult) => delivery.replayOf],
} as const;

export const isKeptBody = (body: string): boolean => body.length <= MAX_KEPT_BODY;
const keptBody = (body: string): string | null => (isKeptBody(body) ? body : null);

const DROPPED =
  'with dropped as (delete from webhook_deliveries where webhook_id = any($1::uuid[]) returning *)';
const COUNT = 'select count(*)::int as dropped from dropped';
const DROP = `${DROPPED} ${COUNT}`;
const MOVE = `${DROPPED}, moved as (
  insert into ended_deliveries (id, account_id, target, endpoint_id, host, trace, webhook_message_id, event_type, body,
    route, requested_at, ended_at, outcome, attempts, replay_of)
  select id, account_id, coalesce(target, 'webhook'), webhook_id, host, trace, webhook_message_id, event_type,
    case when length(body) <= ${MAX_KEPT_BODY} then body end, route, coalesce(requested_at, now()), now(), 'stopped',
    attempts, replay_of
  from dropped) ${COUNT}`;
