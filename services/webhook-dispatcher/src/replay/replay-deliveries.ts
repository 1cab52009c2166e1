import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError, ApiErrors, newId } from '@postmesh/contracts';
import { databaseNow } from '@postmesh/database';
import type { NewRow } from '@postmesh/work';
import { groupKeyOf } from '../queue/webhook-deliveries.table.js';
import { WebhookQueue } from '../queue/webhook-queue.js';

const REPLAY_BATCH = 500;
// The most pending replays of an endpoint, since its new events wait behind them.
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
  message_id: string | null;
  ended_at: Date;
  replay_of: string | null;
  /** a replay of it waits, or is being made */
  is_pending: boolean;
}

/** The ended deliveries of an endpoint that are made again. */
export interface ReplayRange {
  readonly endpointId: string;
  /** `recover`: deliveries without success; `set-aside`: those of them that were set aside; `all`: with any result */
  readonly kind: 'recover' | 'set-aside' | 'all';
  /** requested at this time or later */
  readonly since: Date;
  /** and before this time; null: now */
  readonly until: Date | null;
  readonly eventType: string | null;
  /** the end of the previous batch, `<ended_at>/<id>`; null: from the beginning */
  readonly after: string | null;
  /** the replay task, whose own deliveries are left out; null: no task */
  readonly replayId: string | null;
}

export interface ReplayedBatch {
  /** number of deliveries made again */
  readonly replayed: number;
  /** number of deliveries without a kept body, or already pending again */
  readonly skipped: number;
  /** where the next batch begins; null at the end */
  readonly next: string | null;
  /** starts the calls that have a permit; to be called after the commit */
  readonly begin: () => void;
}

/** Makes ended deliveries again, with the same header `webhook-id`, by which a receiver recognises repeats. */
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
    const { ids, begin } = await this.dataSource.transaction((tx) => this.again(tx, [ended]));
    begin();
    const [id] = ids;
    if (id === undefined) throw new ApiError(409, 'it is being replayed');
    return id;
  }

  /** Part of the caller's transaction: a batch, oldest first. */
  async batch(tx: EntityManager, range: ReplayRange): Promise<ReplayedBatch> {
    const { endpointId, since, after, replayId } = range;
    const [afterTime, afterId] = after?.split('/') ?? [];
    await tx.query(LOCK, [endpointId]);
    const rows: EndedRow[] = await tx.query(RANGE, [
      endpointId,
      since,
      range.until,
      range.eventType,
      range.kind,
      replayId,
      afterTime ?? since,
      afterId ?? NO_ID,
    ]);
    const { ids, begin } = await this.again(tx, rows.filter(isComplete));
    if (replayId !== null) await tx.query(MARK, [rows.map(({ id }) => id), replayId, since]);
    const last = rows.at(-1);
    const isEnd = rows.length < REPLAY_BATCH || last === undefined;
    return {
      replayed: ids.length,
      skipped: rows.length - ids.length,
      next: isEnd ? null : `${last.ended_at.toISOString()}/${last.id}`,
      begin,
    };
  }

  /** Whether the pending replays of an endpoint are at their limit. */
  async isFull(manager: EntityManager, endpointId: string): Promise<boolean> {
    return (await this.pending(manager, endpointId)) >= MAX_PENDING;
  }

  /** The number of pending replays of an endpoint, counted up to the limit. */
  async pending(manager: EntityManager, endpointId: string): Promise<number> {
    const [found]: { count: number }[] = await manager.query(
      `select count(*)::int as count from (select from webhook_deliveries
         where webhook_id = $1 and replay_of is not null limit ${MAX_PENDING}) as pending`,
      [endpointId],
    );
    return found?.count ?? 0;
  }

  private async again(tx: EntityManager, rows: readonly EndedRow[]) {
    if (rows.length === 0) return { ids: [], begin: () => {} };
    const now = await databaseNow(tx);
    const news = rows.filter(({ is_pending }) => !is_pending).map((row) => toRow(row, now));
    return { ids: news.map(({ id }) => id), begin: await this.webhooks.insert(tx, news) };
  }
}

const isComplete = ({ body, route }: EndedRow): boolean => body !== null || route !== null;

/** The first delivery, also for a replay of a replay. */
const originalOf = ({ id, replay_of }: EndedRow): string => replay_of ?? id;

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
    message_id: ended.message_id,
    requested_at: now,
    replay_of: originalOf(ended),
  },
});

// Deliveries that were set aside are made again while a recovery runs: of two batches the later one sees what the first
// one has made pending.
const LOCK = `select pg_advisory_xact_lock(hashtext('replays of an endpoint'), hashtext($1))`;
const NO_ID = '00000000-0000-0000-0000-000000000000';
// Pending replays are read with the rows, by one view of the database: a replay that succeeds between two statements
// would be neither pending nor recovered, and would be made again.
const SELECT = `select id, account_id, target, endpoint_id, host, trace, webhook_message_id, event_type, body, route,
    message_id, ended_at, replay_of, exists (select from webhook_deliveries pending
      where pending.replay_of = coalesce(ended_deliveries.replay_of, ended_deliveries.id)) as is_pending
  from ended_deliveries`;
// Rows of replays are left out: the first delivery has the outcome of its event.
const RANGE = `${SELECT} where endpoint_id = $1 and requested_at >= $2 and ($3::timestamptz is null or requested_at < $3)
    and ended_at >= $2 and ($4::text is null or event_type = $4) and replay_of is null
    and case $5 when 'all' then true when 'set-aside' then outcome = 'set-aside' and recovered_at is null and replay_id is null
      else outcome <> 'succeeded' and recovered_at is null end
    and ($6::uuid is null or replay_id is distinct from $6)
    and (ended_at, id) > ($7::timestamptz, $8::uuid)
  order by ended_at, id limit ${REPLAY_BATCH}`;
const MARK = `update ended_deliveries set replay_id = $2 where id = any($1::uuid[]) and ended_at >= $3`;
