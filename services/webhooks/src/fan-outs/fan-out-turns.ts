import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { backoffMs, DebouncedTask, pause } from '@postmesh/concurrency';
import { failureKind } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { CallRequests } from '../request-calls/call-requests.js';
import { Listeners } from '../request-calls/listeners.js';
import { asked, planCalls, type PlannedCall } from '../request-calls/matching.rules.js';
import { FanOuts, type FanOut } from './fan-outs.js';
import { FanOutMetrics } from './fan-out-metrics.js';
import { IntakePressure } from './intake-pressure.js';

// One turn is one transaction: it locks the streams of the bus until its commit, like every publisher.
const CALLS_PER_TURN = 1_000;
const EVENTS_PER_TURN = 200;
// Events stored by another process, or before a restart, are found by polling, less often while there are none.
const LOOK_EVERY_MS = 1_000;
const IDLE_MS = 5_000;
// Another process handles the events of the only account with fan-outs.
const HELD_MS = 50;
// A turn is followed by a pause of the same length, since a backlog must not use the whole processor and database.
const MOST_REST_MS = 200;
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

interface Trouble {
  failures: number;
  restsUntil: number;
}

/** After a failed turn half the calls are tried next time, down to one call of one event. */
const turnAfter = (failures: number) => ({
  calls: Math.max(1, CALLS_PER_TURN >> failures),
  events: Math.max(1, EVENTS_PER_TURN >> failures),
});
// At one call, the cause of the failure is the event.
const MOST_FAILURES = 10;

/**
 * Requests the calls of events with too many calls for their batch: accounts in round-robin order, with a bounded number
 * of calls each, so that an account waits for one turn of each other account and not for all of their events (ADR 50).
 */
@Injectable()
export class FanOutTurns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** pause of an account after failed turns; tests shorten it */
  retry = { firstMs: 200, maxMs: 1_000 };
  private readonly task = new DebouncedTask(
    (signal) => this.workOff(signal),
    (error) =>
      this.logger.warn({ event: 'fan_outs.failed', err: error }, 'processing fan-outs failed, will retry'),
  );
  private readonly troubles = new Map<string, Trouble>();
  private last = NO_ACCOUNT;

  constructor(
    private readonly dataSource: DataSource,
    private readonly fanOuts: FanOuts,
    private readonly listeners: Listeners,
    private readonly requests: CallRequests,
    private readonly pressure: IntakePressure,
    private readonly metrics: FanOutMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.task.trigger();
    this.task.every(LOOK_EVERY_MS, IDLE_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Starts a run for new fan-outs. */
  trigger(): void {
    this.task.trigger();
  }

  /** @returns whether there was any, or an account is left that pauses after failures */
  private async workOff(signal: AbortSignal): Promise<boolean> {
    for (let turns = 0; !signal.aborted; turns++) {
      const accountId = await this.fanOuts.nextAccount(this.dataSource.manager, this.last, this.resting());
      if (accountId === undefined) return turns > 0 || this.troubles.size > 0;
      this.last = accountId;
      await this.pressure.eased(signal);
      if (signal.aborted) break;
      const begun = performance.now();
      const calls = await this.turn(accountId);
      const rest = calls === 'held' ? HELD_MS : performance.now() - begun;
      await pause(Math.min(rest, MOST_REST_MS), signal);
    }
    return true;
  }

  private resting(): string[] {
    const now = performance.now();
    return [...this.troubles]
      .filter(([, { restsUntil }]) => restsUntil > now)
      .map(([accountId]) => accountId);
  }

  /** Never throws: a failure pauses its account only. */
  private async turn(accountId: string): Promise<number | 'held'> {
    const most = turnAfter(this.troubles.get(accountId)?.failures ?? 0);
    try {
      const calls = await this.dataSource.transaction((tx) => this.requestCalls(tx, accountId, most));
      this.troubles.delete(accountId);
      if (calls !== 'held') this.metrics.planned(accountId, calls);
      return calls;
    } catch (error) {
      await this.failed(accountId, error);
      return 0;
    }
  }

  /** @returns the number of requested calls */
  private async requestCalls(
    tx: EntityManager,
    accountId: string,
    most: { calls: number; events: number },
  ): Promise<number | 'held'> {
    if (!(await this.fanOuts.hold(tx, accountId))) return 'held';
    const front = await this.fanOuts.front(tx, accountId, most.events);
    const [first] = front;
    if (!first) return 0;
    const query = { accountIds: [accountId], ...asked(front), after: first.told_until, limit: most.calls };
    const listeners = await this.listeners.lock(tx, query);
    const last = listeners.length === most.calls ? listeners.at(-1) : undefined;
    // an event that begins or ends within the list of webhooks has a turn of its own
    const whole = !last && first.told_until === null;
    const planned: PlannedCall[] = [];
    const done: FanOut[] = [];
    for (const fanOut of whole ? front : [first]) {
      if (planned.length >= most.calls) break;
      const present = listeners.filter(({ created_at }) => created_at <= fanOut.matched_at);
      planned.push(...planCalls(fanOut, present));
      done.push(fanOut);
    }
    if (last) await this.fanOuts.toldUntil(tx, first, last.id);
    else await this.fanOuts.remove(tx, done);
    await this.requests.add(tx, planned);
    return planned.length;
  }

  private async failed(accountId: string, error: unknown): Promise<void> {
    const failures = (this.troubles.get(accountId)?.failures ?? 0) + 1;
    const kind = failureKind(error);
    const about = { event: 'fan_outs.turn_failed', account_id: accountId, failures, kind, err: error };
    this.logger.warn(about, 'fan-out turn failed, will retry with half the calls');
    this.troubles.set(accountId, {
      failures,
      restsUntil: performance.now() + backoffMs(failures, this.retry),
    });
    if (failures <= MOST_FAILURES || kind === 'transient') return;
    this.troubles.delete(accountId);
    const reason = error instanceof Error ? error.message.slice(0, 500) : String(error);
    await this.dataSource.transaction(async (tx) => {
      if (!(await this.fanOuts.hold(tx, accountId))) return;
      const [first] = await this.fanOuts.front(tx, accountId, 1);
      if (first) await this.fanOuts.giveUp(tx, first, { kind, reason });
    });
    this.logger.error(
      { ...about, event: 'fan_outs.gave_up' },
      'fan-out keeps failing, event moved to dead letters',
    );
  }
}
