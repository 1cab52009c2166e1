import { Injectable } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, ApiErrors, newId } from '@postmesh/contracts';
import type { NewRow } from '@postmesh/leased-queue';
import { groupKeyOf } from '../queue/webhook-deliveries.table.js';
import { WebhookQueue } from '../queue/webhook-queue.js';
import type { ReplayRange } from './replay.schema.js';

const BATCH = 500;
// As many replays of an endpoint may be pending: its new events have to wait behind them.
const MAX_PENDING = 5_000;

interface EndedRow {
  id: string;
  account_id: string;
  target: 'webhook' | 'route';
  endpoint_id: string;
  host: string;
  trace: string | null;
  webhook_message_id: string;
  event_type: string;
  body: string | null;
  route: string | null;
  ended_at: Date;
}

export interface Replayed {
  /** deliveries that are made again */
  replayed: number;
  /** whose body was too large to be kept, or which are pending again already */
  skipped: number;
  /** to go on behind them; null at the end */
  next: string | null;
  /** what was asked for, with its end: the same for all batches */
  range: ReplayRange;
}

/** Ended deliveries are made again, with the same header `webhook-id`, by which a receiver tells them from new ones. */
@Injectable()
export class ReplayDeliveries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhookQueue,
  ) {}

  /** @returns the id of the new delivery @throws ApiError 404, 409 */
  async one(deliveryId: string): Promise<string> {
    const rows: EndedRow[] = await this.dataSource.query(`${SELECT} where id = $1 order by ended_at desc`, [
      deliveryId,
    ]);
    const [ended] = rows;
    if (!ended) throw ApiErrors.notFound('ended webhook delivery');
    if (!isComplete(ended)) throw new ApiError(409, 'its body was too large to be kept');
    const [id] = await this.again([ended]);
    if (id === undefined) throw new ApiError(409, 'it is being replayed');
    return id;
  }

  /** A batch of them, oldest first. */
  async range(given: ReplayRange): Promise<Replayed> {
    const to = given.to ?? new Date();
    const range = { ...given, to };
    const { endpoint_id, event_type, outcome, from, after } = range;
    const [afterTime, afterId] = after?.split('/') ?? [];
    if ((await this.pendingReplays(endpoint_id)) >= MAX_PENDING) {
      return { replayed: 0, skipped: 0, next: after ?? `${from.toISOString()}/${NO_ID}`, range };
    }
    const rows: EndedRow[] = await this.dataSource.query(RANGE, [
      endpoint_id,
      from,
      to,
      event_type ?? null,
      outcome ?? null,
      afterTime ?? from,
      afterId ?? NO_ID,
    ]);
    const replayed = await this.again(rows.filter(isComplete));
    const last = rows.at(-1);
    const isEnd = rows.length < BATCH || last === undefined;
    return {
      replayed: replayed.length,
      skipped: rows.length - replayed.length,
      next: isEnd ? null : `${last.ended_at.toISOString()}/${last.id}`,
      range,
    };
  }

  private async again(rows: readonly EndedRow[]): Promise<string[]> {
    if (rows.length === 0) return [];
    const { ids, begin } = await this.dataSource.transaction(async (manager) => {
      const now = await databaseNow(manager);
      const pending = await pendingAgain(manager, rows);
      const news = rows.filter(({ id }) => !pending.has(id)).map((row) => toRow(row, now));
      return { ids: news.map(({ id }) => id), begin: await this.webhooks.insert(manager, news) };
    });
    begin();
    return ids;
  }

  private async pendingReplays(endpointId: string): Promise<number> {
    const [found]: { count: number }[] = await this.dataSource.query(
      `select count(*)::int as count from (select from webhook_deliveries
         where webhook_id = $1 and replay_of is not null limit ${MAX_PENDING}) as pending`,
      [endpointId],
    );
    return found?.count ?? 0;
  }
}

const isComplete = ({ body, route }: EndedRow): boolean => body !== null || route !== null;

async function pendingAgain(manager: EntityManager, rows: readonly EndedRow[]): Promise<Set<string>> {
  const ids = rows.map(({ id }) => id);
  const pending: { replay_of: string }[] = await manager.query(
    'select replay_of from webhook_deliveries where replay_of = any($1::uuid[])',
    [ids],
  );
  return new Set(pending.map(({ replay_of }) => replay_of));
}

const toRow = (ended: EndedRow, now: Date): NewRow => ({
  id: newId(),
  accountId: ended.account_id,
  key: groupKeyOf(ended.host, ended.endpoint_id),
  dueAt: now,
  reason: 'is replayed',
  columns: {
    host: ended.host,
    webhook_id: ended.endpoint_id,
    trace: ended.trace,
    webhook_message_id: ended.webhook_message_id,
    event_type: ended.event_type,
    body: ended.body ?? '',
    target: ended.target === 'route' ? 'route' : null,
    route: ended.route,
    requested_at: now,
    replay_of: ended.id,
  },
});

const NO_ID = '00000000-0000-0000-0000-000000000000';
const SELECT = `select id, account_id, target, endpoint_id, host, trace, webhook_message_id, event_type, body, route,
    ended_at from ended_deliveries`;
// What was replayed stands there under its own id, too: only the first time counts.
const RANGE = `${SELECT} where endpoint_id = $1 and requested_at >= $2 and requested_at < $3 and ended_at >= $2
    and ($4::text is null or event_type = $4) and ($5::text is null or outcome = $5) and replay_of is null
    and (ended_at, id) > ($6::timestamptz, $7::uuid)
  order by ended_at, id limit ${BATCH}`;
