import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { FAILING_AFTER, MIN_PROBE_S, PROBE_SHARE } from '@postmesh/webhooks-contract';
import { DatabaseClock, insertRows, retryTransient } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { AttemptResult, MadeAttempt } from '../attempt/webhook-attempt.js';
import { groupKeyOf, type WebhookDelivery } from '../queue/webhook-deliveries.table.js';
import { changeOf, type EndpointChange } from './endpoint-state.rules.js';

const SYNC_MS = 2_000;
// The same while this dispatcher knows of no failing endpoint.
const IDLE_MS = 10_000;
// A transaction that writes endpoint states has ended after this time; before, its new rows may be invisible.
const NOTED_MS = 10_000;
const MAX_KNOWN = 10_000;
// The number of endpoints named in each claim; further failing endpoints are called like healthy ones.
const MAX_LIMITED = 2_000;

interface StateRow {
  endpoint_id: string;
  host: string;
  failures: number;
  next_call_at: Date | null;
  /** bigint, returned as text by the driver */
  version: string;
}

/** An endpoint whose last call failed. */
interface Failing {
  readonly key: string;
  readonly failures: number;
  /** no call before this time of the database's clock, Unix ms */
  readonly nextCallAt: number;
  readonly version: bigint;
  /** when this dispatcher wrote the row, by the monotonic clock, ms; undefined: another dispatcher wrote it */
  readonly notedAt: number | undefined;
}

interface Changed extends EndpointChange {
  readonly delivery: WebhookDelivery;
}

/**
 * The failing endpoints, and the time of the next call of each (spec 2-messages §18 rule 8). The rows are shared with
 * operators and other dispatchers; each dispatcher has a copy of the rows of failing endpoints.
 */
@Injectable()
export class EndpointStates implements OnApplicationBootstrap, OnModuleDestroy {
  /** by endpoint, in the order of their last calls, oldest first */
  private readonly known = new Map<string, Failing>();
  private readonly syncing: DebouncedTask;
  private readonly minProbeMs: number;
  private readonly upsert;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClock,
    @Inject(SETTINGS) { webhookProbeSeconds, webhookRetryScale }: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.minProbeMs = MIN_PROBE_S * 1_000 * webhookRetryScale;
    this.upsert = upsertOf(MIN_PROBE_S * webhookRetryScale, webhookProbeSeconds * webhookRetryScale);
    this.syncing = new DebouncedTask(
      async () => {
        await this.sync();
        return this.known.size > 0;
      },
      (error) =>
        logger.warn(
          { event: 'webhook.states_unread', err: error },
          'reading endpoint states failed, will retry',
        ),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await retryTransient(() => this.sync(), { what: 'states of endpoints', logger: this.logger });
    this.syncing.every(SYNC_MS, IDLE_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.syncing.stop();
  }

  /** True while every call fails: the endpoint is probed, one call at a time. */
  isFailing(endpointId: string): boolean {
    return (this.known.get(endpointId)?.failures ?? 0) >= FAILING_AFTER;
  }

  /** True until the next probe is due, or during a pause that the endpoint requested. */
  isPausing(endpointId: string): boolean {
    return (this.known.get(endpointId)?.nextCallAt ?? 0) > this.clock.now();
  }

  /** Endpoints that are failing or pausing, with their group keys, in round-robin order. */
  *limited(): Iterable<readonly [endpointId: string, groupKey: string]> {
    const now = this.clock.now();
    let count = 0;
    for (const [endpointId, { key, failures, nextCallAt }] of this.known) {
      if (failures < FAILING_AFTER && nextCallAt <= now) continue;
      yield [endpointId, key];
      if (++count === MAX_LIMITED) return;
    }
  }

  /** A call begins or ends: the endpoint moves to the end of the order, without a second probe before this one is recorded. */
  called(endpointId: string): void {
    const state = this.known.get(endpointId);
    if (state === undefined || state.failures < FAILING_AFTER) return;
    this.known.delete(endpointId);
    this.known.set(endpointId, { ...state, nextCallAt: this.clock.now() + this.minProbeMs });
  }

  /** Part of the transaction in which attempts are recorded. */
  async note(manager: EntityManager, made: readonly AttemptResult[]): Promise<void> {
    const changed = this.changesOf(made);
    if (changed.length === 0) return;
    const rows: StateRow[] = await insertRows(
      manager,
      'endpoint_states as known',
      COLUMNS,
      changed,
      this.upsert,
    );
    for (const row of rows) this.apply(row, performance.now());
    this.syncing.triggerIn(SYNC_MS);
  }

  /** Part of the caller's transaction: a repaired endpoint is called without a pause. */
  async expectAnswer(manager: EntityManager, endpointId: string): Promise<void> {
    await manager.query(
      `update endpoint_states set next_call_at = null, version = version + 1, updated_at = now()
       where endpoint_id = $1`,
      [endpointId],
    );
  }

  /** Reads a row that was written elsewhere. */
  wake(): void {
    this.syncing.trigger();
  }

  /** Endpoints were disabled: their failures are reset. Rows of deleted ones are removed. */
  async reset(manager: EntityManager, stopped: readonly string[], deleted: readonly string[]): Promise<void> {
    await manager.query(
      `update endpoint_states set failures = 0, failing_since = null, next_call_at = null, version = version + 1,
         updated_at = now() where endpoint_id = any($1::uuid[])`,
      [stopped],
    );
    await manager.query('delete from endpoint_states where endpoint_id = any($1::uuid[])', [deleted]);
  }

  /** Reads the changes of other dispatchers and operators. */
  async sync(): Promise<void> {
    const rows: StateRow[] = await this.dataSource.query(FAILING, [[...this.known.keys()]]);
    const current = new Set(rows.map(({ endpoint_id }) => endpoint_id));
    const before = performance.now() - NOTED_MS;
    for (const [endpointId, { notedAt = 0 }] of this.known) {
      if (!current.has(endpointId) && notedAt < before) this.known.delete(endpointId);
    }
    for (const row of rows) this.apply(row);
  }

  /** Each endpoint with a changed state, in the same order in all dispatchers, so that they cannot deadlock. */
  private changesOf(made: readonly AttemptResult[]): Changed[] {
    const byEndpoint = new Map<string, Made[]>();
    for (const result of made.filter(isMade)) {
      const { endpointId } = result.delivery;
      byEndpoint.set(endpointId, [...(byEndpoint.get(endpointId) ?? []), result]);
    }
    return [...byEndpoint.entries()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([endpointId, results]) => {
        const change = changeOf(results.map(({ attempt }) => signOf(attempt)));
        const isNews = change.lastFailure !== null || this.known.has(endpointId);
        return isNews ? results.slice(-1).map(({ delivery }) => ({ ...change, delivery })) : [];
      });
  }

  /** @param notedAt time at which this dispatcher wrote the row */
  private apply(
    { endpoint_id, host, failures, next_call_at, version: text }: StateRow,
    notedAt?: number,
  ): void {
    const before = this.known.get(endpoint_id);
    const version = BigInt(text);
    if (before && before.version >= version) return;
    const wasFailing = this.isFailing(endpoint_id);
    const nextCallAt = next_call_at?.getTime() ?? 0;
    if (failures === 0) this.known.delete(endpoint_id);
    else if (before || this.known.size < MAX_KNOWN) {
      const key = groupKeyOf(host, endpoint_id);
      this.known.set(endpoint_id, { key, failures, nextCallAt, version, notedAt });
    }
    const isFailing = this.isFailing(endpoint_id);
    if (wasFailing === isFailing) return;
    this.logger.info(
      { event: isFailing ? 'webhook.failing' : 'webhook.recovered', endpoint_id, host, failures },
      isFailing ? 'endpoint is failing, will be probed' : 'endpoint recovered, calls continue',
    );
  }
}

type Made = AttemptResult & { readonly attempt: MadeAttempt };
const isMade = (result: AttemptResult): result is Made => result.attempt !== null;

const signOf = ({ startedAt, durationMs, decision }: MadeAttempt) => ({
  at: new Date(startedAt.getTime() + durationMs),
  failure: decision.reason,
  askedUntil: decision.askedUntil,
});

const COLUMNS = {
  endpoint_id: ['uuid', ({ delivery }: Changed) => delivery.endpointId],
  target: ['text', ({ delivery }: Changed) => delivery.target],
  account_id: ['uuid', ({ delivery }: Changed) => delivery.accountId],
  host: ['text', ({ delivery }: Changed) => delivery.host],
  failures: ['int', ({ failures }: Changed) => failures],
  failing_since: ['timestamptz', ({ failingSince }: Changed) => failingSince],
  next_call_at: ['timestamptz', ({ askedUntil }: Changed) => askedUntil],
  succeeded_at: ['timestamptz', ({ succeededAt }: Changed) => succeededAt],
  last_failure_at: ['timestamptz', ({ lastFailureAt }: Changed) => lastFailureAt],
  last_failure: ['text', ({ lastFailure }: Changed) => lastFailure],
  updated_at: ['timestamptz', () => new Date()],
} as const;

// A success resets the stored count; without one both counts are added.
const FAILURES = `case when excluded.succeeded_at is null then known.failures else 0 end + excluded.failures`;
const SINCE = `case when excluded.succeeded_at is null then coalesce(known.failing_since, excluded.failing_since)
  else excluded.failing_since end`;

/** A failing endpoint is probed after a share of the time that it has failed for, bounded in seconds. */
const upsertOf = (minSeconds: number, maxSeconds: number) => ({
  onConflict: `(endpoint_id) do update set host = excluded.host, failures = ${FAILURES},
    failing_since = case when ${FAILURES} > 0 then ${SINCE} end,
    next_call_at = case when ${FAILURES} > 0 then greatest(excluded.next_call_at,
      case when ${FAILURES} >= ${FAILING_AFTER} then now() + least(interval '${maxSeconds} seconds',
        greatest(interval '${minSeconds} seconds', (now() - (${SINCE})) * ${PROBE_SHARE})) end) end,
    succeeded_at = coalesce(excluded.succeeded_at, known.succeeded_at),
    last_failure_at = coalesce(excluded.last_failure_at, known.last_failure_at),
    last_failure = coalesce(excluded.last_failure, known.last_failure),
    version = known.version + 1, updated_at = excluded.updated_at`,
  returning: 'endpoint_id, host, failures, next_call_at, version::text',
});

const FAILING = `select endpoint_id, host, failures, next_call_at, version::text from endpoint_states
  where failures > 0 or endpoint_id = any($1::uuid[]) order by failing_since limit ${MAX_KNOWN}`;
