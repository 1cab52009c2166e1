import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { WebhookDeliveryRequested } from '@postmesh/webhooks-contract';
import { Metrics } from '@postmesh/observability';
import { EndedDeliveries, isKeptBody } from '../record/ended-deliveries.js';
import { ReplayDeliveries, type ReplayRange } from '../replay/replay-deliveries.js';
import { DeliveryBacklog } from './delivery-backlog.js';

type Requested = ReturnType<typeof WebhookDeliveryRequested.parse>;

const MAX_ENDPOINTS = 1_000;
const LEASE_S = 60;
// A transaction that set a delivery aside has ended after this time: a reader that continues after it misses no row.
const SETTLED_S = 120;
const NO_ID = '00000000-0000-0000-0000-000000000000';

interface AsideEndpoint {
  endpoint_id: string;
  account_id: string;
  first_at: Date;
  told_until: string | null;
  until: Date;
}

/**
 * New deliveries of an account that is over its limit are set aside (ADR 72): they are stored as ended deliveries with
 * their bodies, without an attempt, and are replayed, oldest first, when the account is below its limit again. They are
 * kept as long as other ended deliveries (`POSTMESH_WEBHOOK_REPLAY_DAYS`).
 */
@Injectable()
export class SetAsideDeliveries implements OnApplicationBootstrap {
  private readonly aside;

  constructor(
    private readonly dataSource: DataSource,
    private readonly backlog: DeliveryBacklog,
    private readonly replays: ReplayDeliveries,
    private readonly ended: EndedDeliveries,
    metrics: Metrics,
  ) {
    this.aside = metrics.counter(
      'postmesh_webhook_deliveries_set_aside_total',
      'Webhook deliveries that were set aside because their account had too many pending',
    );
  }

  onApplicationBootstrap(): void {
    this.backlog.afterLook((signal) => this.replayDue(signal));
  }

  /** Part of the intake's transaction. @returns the deliveries to make now */
  async divide(manager: EntityManager, events: readonly Requested[]): Promise<Requested[]> {
    const aside = new Set(events.filter((event) => this.isAside(event)));
    if (aside.size > 0) await this.keep(manager, [...aside]);
    return events.filter((event) => !aside.has(event));
  }

  /** Deliveries of stopped endpoints stay among the ended ones, as their pending deliveries do. */
  async forget(manager: EntityManager, endpointIds: readonly string[]): Promise<void> {
    await manager.query('delete from set_aside_endpoints where endpoint_id = any($1::uuid[])', [endpointIds]);
  }

  /** Replays the deliveries set aside of accounts below their limit; rows leased by another dispatcher are skipped. */
  async replayDue(signal: AbortSignal): Promise<void> {
    const [due]: [AsideEndpoint[], number] = await this.dataSource.query(TAKE, [
      this.backlog.overOnes(),
      SETTLED_S,
      LEASE_S,
    ]);
    const rooms = new Map<string, number>();
    for (const endpoint of due) {
      if (signal.aborted) return;
      const { account_id } = endpoint;
      const room = rooms.get(account_id) ?? this.backlog.roomOf(account_id);
      rooms.set(account_id, room - (await this.replayEndpoint(endpoint, room, signal)));
    }
  }

  /** @returns the number of deliveries that became pending */
  private async replayEndpoint(endpoint: AsideEndpoint, room: number, signal: AbortSignal): Promise<number> {
    const { endpoint_id, first_at: since, until } = endpoint;
    let after = endpoint.told_until;
    let replayed = 0;
    while (replayed < room && !signal.aborted) {
      const batch = await this.replay({ endpointId: endpoint_id, since, until, after });
      if (batch === undefined) break;
      replayed += batch.replayed;
      after = batch.next ?? `${until.toISOString()}/${NO_ID}`;
      await this.dataSource.query(REPLAYED, [endpoint_id, after, LEASE_S]);
      if (batch.next !== null) continue;
      await this.dataSource.query(FORGET, [endpoint_id, until]);
      break;
    }
    await this.dataSource.query(GIVE_BACK, [endpoint_id]);
    return replayed;
  }

  /** @returns undefined while the replays of the endpoint are at their limit */
  private async replay(range: Pick<ReplayRange, 'endpointId' | 'since' | 'until' | 'after'>) {
    const batch = await this.dataSource.transaction(async (tx) => {
      if (await this.replays.isFull(tx, range.endpointId)) return undefined;
      return this.replays.batch(tx, { ...range, kind: 'set-aside', eventType: null, replayId: null });
    });
    batch?.begin();
    return batch;
  }

  private isAside({ account_id, data }: Requested): boolean {
    return (
      this.ended.isKept && account_id !== null && isKeptBody(data.body) && this.backlog.isOver(account_id)
    );
  }

  private async keep(manager: EntityManager, events: readonly Requested[]): Promise<void> {
    const now = await this.ended.keepRequested(manager, events, 'set-aside');
    const accounts = new Map(events.map(({ account_id, data }) => [data.webhook_id as string, account_id]));
    await manager.query(NOTE, [[...accounts.keys()], [...accounts.values()], now]);
    this.aside.inc({}, events.length);
  }
}

// In the same order everywhere, so that two intakes cannot deadlock.
const NOTE = `
  insert into set_aside_endpoints as known (endpoint_id, account_id, first_at, last_at)
  select endpoint_id, account_id, $3::timestamptz, $3::timestamptz
  from unnest($1::uuid[], $2::uuid[]) as given(endpoint_id, account_id) order by endpoint_id
  on conflict (endpoint_id) do update set last_at = greatest(known.last_at, excluded.last_at)`;

const TAKE = `
  update set_aside_endpoints set leased_until = now() + make_interval(secs => $3)
  where endpoint_id = any(array(
    select endpoint_id from set_aside_endpoints
    where account_id <> all($1::uuid[]) and first_at < now() - make_interval(secs => $2) and leased_until < now()
    order by leased_until limit ${MAX_ENDPOINTS} for update skip locked))
  returning endpoint_id, account_id, first_at, told_until, date_trunc('milliseconds', now()) - make_interval(secs => $2) as until`;

const REPLAYED = `update set_aside_endpoints set told_until = $2, leased_until = now() + make_interval(secs => $3)
  where endpoint_id = $1`;
const GIVE_BACK = 'update set_aside_endpoints set leased_until = now() where endpoint_id = $1';
/** Unless further deliveries were set aside in the meantime. */
const FORGET = 'delete from set_aside_endpoints where endpoint_id = $1 and last_at < $2';
