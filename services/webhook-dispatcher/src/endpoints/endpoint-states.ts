import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { insertRows, retryTransient } from '@postmesh/database';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { AttemptResult, MadeAttempt } from '../attempt/webhook-attempt.js';
import { groupKeyOf, type WebhookDelivery } from '../queue/webhook-deliveries.table.js';
import { changeOf, OPENS_AFTER, type EndpointChange } from './endpoint-state.rules.js';

const SYNC_MS = 2_000;
// A transaction that notes endpoints has ended by then: earlier, a look at the table may not see what it wrote.
const NOTED_MS = 10_000;
// Of those that opened last; more endpoints than this are called as if they answered.
const MAX_OPEN = 2_000;
const MAX_FAILING = 10_000;

interface StateRow {
  endpoint_id: string;
  host: string;
  unanswered: number;
  opened_at: Date | null;
}

interface Changed extends EndpointChange {
  readonly delivery: WebhookDelivery;
}

/**
 * How endpoints stand (ADR 51): which of them has not answered for so long that it is open. Kept in the database, for
 * people and for other dispatchers; each knows the open ones.
 */
@Injectable()
export class EndpointStates implements OnApplicationBootstrap, OnModuleDestroy {
  /** open endpoints with their group key, the longest not called first */
  private readonly open = new Map<string, string>();
  /** those with an attempt without an answer since the last answer */
  private readonly failing = new Set<string>();
  /** when this dispatcher last noted an endpoint, by the monotonic clock, ms */
  private readonly noted = new Map<string, number>();
  private readonly syncing: DebouncedTask;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.syncing = new DebouncedTask(
      () => this.sync(),
      (error) => logger.warn({ event: 'webhook.states_unread', err: error }, 'states of endpoints unread'),
    );
    metrics.gauge(
      'postmesh_webhook_endpoints_open',
      'Webhooks and routes that do not answer and are called by one attempt at a time',
      [],
      (gauge) => gauge.set(this.open.size),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await retryTransient(() => this.sync(), { what: 'states of endpoints', logger: this.logger });
    this.syncing.every(SYNC_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.syncing.stop();
  }

  isOpen(endpointId: string): boolean {
    return this.open.has(endpointId);
  }

  /** Endpoint → group key, in the order of their turns. */
  openOnes(): ReadonlyMap<string, string> {
    return this.open;
  }

  /** It has its turn: the others come first next time. */
  called(endpointId: string): void {
    const key = this.open.get(endpointId);
    if (key === undefined) return;
    this.open.delete(endpointId);
    this.open.set(endpointId, key);
  }

  /** Part of the transaction in which attempts are written down. */
  async note(manager: EntityManager, made: readonly AttemptResult[]): Promise<void> {
    const changed = this.changesOf(made);
    if (changed.length === 0) return;
    const rows: StateRow[] = await insertRows(manager, 'endpoint_states', COLUMNS, changed, UPSERT);
    for (const row of rows) {
      this.noted.set(row.endpoint_id, performance.now());
      this.apply(row);
    }
  }

  /** Each endpoint of which there is something to tell, in one order for all dispatchers, so that none waits crosswise. */
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
        const isNews = change.lastFailure !== null || this.failing.has(endpointId);
        return isNews ? results.slice(-1).map(({ delivery }) => ({ ...change, delivery })) : [];
      });
  }

  private apply({ endpoint_id, host, unanswered, opened_at }: StateRow): void {
    if (unanswered > 0) this.failing.add(endpoint_id);
    else this.failing.delete(endpoint_id);
    const wasOpen = this.open.has(endpoint_id);
    if (opened_at === null) this.open.delete(endpoint_id);
    else if (!wasOpen && this.open.size < MAX_OPEN) this.open.set(endpoint_id, groupKeyOf(host, endpoint_id));
    if (wasOpen === (opened_at !== null)) return;
    this.logger.info(
      { event: opened_at === null ? 'webhook.closed' : 'webhook.opened', endpoint_id, host, unanswered },
      opened_at === null ? 'endpoint answers again' : 'endpoint does not answer: one attempt at a time',
    );
  }

  /** What other dispatchers found out. What this one noted meanwhile is newer. */
  private async sync(): Promise<void> {
    const before = performance.now() - NOTED_MS;
    for (const [endpointId, at] of this.noted) if (at < before) this.noted.delete(endpointId);
    const rows: StateRow[] = await this.dataSource.query(UNANSWERED);
    const current = new Set(rows.map(({ endpoint_id }) => endpoint_id));
    for (const endpointId of [...this.open.keys(), ...this.failing]) {
      if (current.has(endpointId) || this.noted.has(endpointId)) continue;
      this.open.delete(endpointId);
      this.failing.delete(endpointId);
    }
    for (const row of rows) if (!this.noted.has(row.endpoint_id)) this.apply(row);
  }
}

type Made = AttemptResult & { readonly attempt: MadeAttempt };
const isMade = (result: AttemptResult): result is Made => result.attempt !== null;

const signOf = ({ startedAt, durationMs, decision }: MadeAttempt) => ({
  answered: decision.status !== null,
  at: new Date(startedAt.getTime() + durationMs),
  failure: decision.reason,
});

const COLUMNS = {
  endpoint_id: ['uuid', ({ delivery }: Changed) => delivery.endpointId],
  target: ['text', ({ delivery }: Changed) => delivery.target],
  account_id: ['uuid', ({ delivery }: Changed) => delivery.accountId],
  host: ['text', ({ delivery }: Changed) => delivery.host],
  unanswered: ['int', ({ unanswered }: Changed) => unanswered],
  opened_at: ['timestamptz', ({ unanswered }: Changed) => (unanswered >= OPENS_AFTER ? new Date() : null)],
  answered_at: ['timestamptz', ({ answeredAt }: Changed) => answeredAt],
  last_failure_at: ['timestamptz', ({ lastFailureAt }: Changed) => lastFailureAt],
  last_failure: ['text', ({ lastFailure }: Changed) => lastFailure],
  updated_at: ['timestamptz', () => new Date()],
} as const;

// An answer ends what was counted before it; without one both counts make one row of failures.
const COUNTED = `case when excluded.answered_at is null then endpoint_states.unanswered else 0 end + excluded.unanswered`;
const UPSERT = {
  onConflict: `(endpoint_id) do update set host = excluded.host, unanswered = ${COUNTED},
    opened_at = case when ${COUNTED} >= ${OPENS_AFTER} then
      coalesce(case when excluded.answered_at is null then endpoint_states.opened_at end, now()) end,
    answered_at = coalesce(excluded.answered_at, endpoint_states.answered_at),
    last_failure_at = coalesce(excluded.last_failure_at, endpoint_states.last_failure_at),
    last_failure = coalesce(excluded.last_failure, endpoint_states.last_failure), updated_at = excluded.updated_at`,
  returning: 'endpoint_id, host, unanswered, opened_at',
};

const UNANSWERED = `select endpoint_id, host, unanswered, opened_at from endpoint_states
  where unanswered > 0 order by opened_at nulls last limit ${MAX_FAILING}`;
