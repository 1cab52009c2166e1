import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { ApiError, ApiErrors, newId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { EndpointTargets } from '../attempt/endpoint-targets.js';
import { EndpointStates } from '../endpoints/endpoint-states.js';
import { WebhookQueue } from '../queue/webhook-queue.js';
import { ReplayDeliveries } from './replay-deliveries.js';
import type { ReplayRow as ShownReplay, ReplayWanted } from './replay.schema.js';

// Finds replays of other dispatchers, less often while there are none.
const POLL_MS = 1_000;
const IDLE_MS = 5_000;
// The wait while the pending replays of the endpoint are at their limit.
const FULL_WAIT_S = 2;
// Rows ended or requested before the start of a replay are visible after this time; a second pass finds late ones.
const SETTLED_S = 120;
const MAX_SHOWN = 100;
// Above this number of waiting deliveries the others keep their due time.
const MAX_DUE_NOW = 10_000;

type NewReplay = ReplayWanted & { readonly id: string; readonly target: 'webhook' | 'route' };

interface ReplayRow {
  id: string;
  endpoint_id: string;
  kind: 'recover' | 'all';
  event_type: string | null;
  since: Date;
  until: Date | null;
  pass: number;
  after: string | null;
}

/**
 * Replays of endpoints (spec 2-messages §18 rule 13): tasks in the table `replays`, processed in batches by any
 * dispatcher that locks one, with counts that are readable during the run.
 */
@Injectable()
export class Replays implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: DebouncedTask;

  constructor(
    private readonly dataSource: DataSource,
    private readonly deliveries: ReplayDeliveries,
    private readonly targets: EndpointTargets,
    private readonly states: EndpointStates,
    private readonly webhooks: WebhookQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.task = new DebouncedTask(
      (signal) => this.run(signal),
      (error) => logger.warn({ event: 'replay.failed', err: error }, 'replaying failed, will retry'),
    );
  }

  onApplicationBootstrap(): void {
    this.task.every(POLL_MS, IDLE_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /**
   * Starts a replay.
   * @throws ApiError 409 when the endpoint is disabled or deleted, or while a replay of another kind is running
   */
  async start(wanted: ReplayWanted): Promise<ShownReplay> {
    const target = await this.enabledTarget(wanted.endpoint_id);
    const id = await this.dataSource.transaction((tx) => this.begin(tx, { ...wanted, id: newId(), target }));
    if (id === undefined) throw new ApiError(409, 'a replay of another kind is running for it');
    this.wake();
    return this.one(id);
  }

  /**
   * Part of the caller's transaction. The endpoint is called at once, also while it is failing, since it has been repaired,
   * and its waiting deliveries become due now. A running replay of the same kind restarts from the earlier of both times.
   * @returns its id; undefined while a replay of another kind is running
   */
  async begin(tx: EntityManager, wanted: NewReplay): Promise<string | undefined> {
    const [begun]: { id: string }[] = await tx.query(BEGIN, valuesOf(wanted));
    if (begun === undefined) return undefined;
    await this.callNow(tx, wanted.endpoint_id);
    return begun.id;
  }

  /** The same for a request that has been accepted: it waits while a replay of another kind is running. */
  async beginOrWait(tx: EntityManager, wanted: NewReplay): Promise<void> {
    if ((await this.begin(tx, wanted)) !== undefined) return;
    await tx.query(WAIT, valuesOf(wanted));
    await this.callNow(tx, wanted.endpoint_id);
  }

  private async callNow(tx: EntityManager, endpointId: string): Promise<void> {
    await this.states.expectAnswer(tx, endpointId);
    await tx.query(DUE_NOW, [endpointId]);
  }

  /** Starts the first calls of a new replay. */
  wake(): void {
    this.states.wake();
    this.webhooks.queue.wake();
    this.task.trigger();
  }

  /** The latest replays, of one endpoint or of all. */
  async list(endpointId?: string): Promise<ShownReplay[]> {
    return this.dataSource.query(
      `${SHOWN} where $1::uuid is null or endpoint_id = $1 order by created_at desc, id limit ${MAX_SHOWN}`,
      [endpointId ?? null],
    );
  }

  /**
   * One replay with its counts: `replayed` of them are pending or ended, `succeeded` have succeeded.
   * @param endpointId of this endpoint only
   * @throws ApiError 404
   */
  async one(id: string, endpointId?: string): Promise<ShownReplay> {
    const { manager } = this.dataSource;
    const [replay]: ShownReplay[] = await manager.query(
      `${SHOWN} where id = $1 and ($2::uuid is null or endpoint_id = $2)`,
      [id, endpointId ?? null],
    );
    if (!replay) throw ApiErrors.notFound('replay');
    const { endpoint_id, since } = replay;
    const [counted]: { succeeded: number }[] = await manager.query(SUCCEEDED, [endpoint_id, since, id]);
    const pending = await this.deliveries.pending(manager, endpoint_id);
    return { ...replay, pending, succeeded: counted?.succeeded ?? 0 };
  }

  /** Ends the replays of disabled or deleted endpoints. The rest can be requested again. */
  async stop(tx: EntityManager, endpointIds: readonly string[]): Promise<void> {
    await tx.query(STOP, [endpointIds]);
  }

  /** Processes running replays until none is due. @returns whether there was any */
  private async run(signal: AbortSignal): Promise<boolean> {
    for (let steps = 0; !signal.aborted; steps++) {
      const { worked, begin } = await this.dataSource.transaction((tx) => this.step(tx));
      begin();
      if (!worked) return steps > 0;
    }
    return true;
  }

  /** One batch of one replay. The row is locked during the batch, so that no other dispatcher processes it. */
  private async step(tx: EntityManager): Promise<{ worked: boolean; begin: () => void }> {
    const [replay]: ReplayRow[] = await tx.query(TAKE);
    if (!replay) return { worked: false, begin: () => {} };
    const { id, endpoint_id: endpointId, kind, since, until, event_type: eventType, after } = replay;
    if (await this.deliveries.isFull(tx, endpointId)) {
      await tx.query(LATER, [id, FULL_WAIT_S]);
      return { worked: true, begin: () => {} };
    }
    const range = { endpointId, kind, since, until, eventType, after, replayId: id };
    const { replayed, skipped, next, begin } = await this.deliveries.batch(tx, range);
    await tx.query(PROGRESS, [id, next, replayed, skipped]);
    if (next === null && replay.pass > 1) {
      await tx.query(BEGIN_WAITING, [endpointId]);
      this.logger.info({ event: 'replay.done', replay_id: id, endpoint_id: endpointId, kind }, 'replay done');
    }
    return { worked: true, begin };
  }

  private async enabledTarget(endpointId: string): Promise<'webhook' | 'route'> {
    if (await this.targets.findWebhook(endpointId)) return 'webhook';
    if (await this.targets.findRoute(endpointId)) return 'route';
    throw new ApiError(409, 'it is disabled or deleted: enable it first');
  }
}

/** The parameters of BEGIN and WAIT. */
const valuesOf = ({ id, endpoint_id, target, kind, event_type, since }: NewReplay): unknown[] => [
  id,
  endpoint_id,
  target,
  kind,
  event_type ?? null,
  since,
];

const BEGIN = `insert into replays as running (id, endpoint_id, target, kind, event_type, since, until, state)
  values ($1, $2, $3, $4, $5, $6, case $4 when 'all' then now() end, 'running')
  on conflict (endpoint_id) where state = 'running' do update
    set since = least(running.since, excluded.since), until = excluded.until, pass = 1, after = null, next_run_at = now()
    where running.kind = excluded.kind and running.event_type is not distinct from excluded.event_type
  returning id`;

// Only recoveries wait, so a second one joins the first.
const WAIT = `insert into replays as waiting (id, endpoint_id, target, kind, event_type, since, state)
  values ($1, $2, $3, $4, $5, $6, 'waiting')
  on conflict (endpoint_id) where state = 'waiting' do update set since = least(waiting.since, excluded.since)`;

const BEGIN_WAITING = `update replays set state = 'running', next_run_at = now()
  where endpoint_id = $1 and state = 'waiting'`;

const DUE_NOW = `update webhook_deliveries set due_at = now(), reason = 'its endpoint recovers'
  where id = any(array(select id from webhook_deliveries
    where webhook_id = $1 and state = 'waiting' and due_at > now() order by due_at limit ${MAX_DUE_NOW} for update skip locked))`;

const TAKE = `select id, endpoint_id, kind, event_type, since, until, pass, after from replays
  where state = 'running' and next_run_at <= now() order by next_run_at limit 1 for update skip locked`;

const LATER = 'update replays set next_run_at = now() + make_interval(secs => $2) where id = $1';

// The second pass begins when everything before the replay is settled, and is the last one.
const PROGRESS = `update replays set after = $2, replayed = replayed + $3, skipped = skipped + $4,
    pass = case when $2::text is null then least(pass + 1, 2) else pass end,
    state = case when $2::text is null and pass > 1 then 'done' else state end,
    finished_at = case when $2::text is null and pass > 1 then now() end,
    next_run_at = case when $2::text is null and pass = 1
      then greatest(now(), created_at + interval '${SETTLED_S} seconds') else now() end
  where id = $1`;

const STOP = `update replays set state = 'stopped', finished_at = now()
  where endpoint_id = any($1::uuid[]) and state in ('waiting', 'running')`;

const SUCCEEDED = `select count(*)::int as succeeded from ended_deliveries
  where endpoint_id = $1 and ended_at >= $2 and replay_id = $3
    and recovered_at >= (select created_at from replays where id = $3)`;

const SHOWN = `select id as replay_id, target, endpoint_id, kind, event_type, since, until, state, pass, replayed, skipped, created_at,
    finished_at from replays`;
