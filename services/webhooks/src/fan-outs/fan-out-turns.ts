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
import { CallRequests } from '../match-events/call-requests.js';
import { Listeners } from '../match-events/listeners.js';
import { asked, planCalls, type Planned } from '../match-events/matching.rules.js';
import { FanOuts, type FanOut } from './fan-outs.js';
import { FanOutMetrics } from './fan-out-metrics.js';
import { IntakePressure } from './intake-pressure.js';

// One turn is one transaction: it holds the streams of the bus until its commit, as every publisher does.
const CALLS_PER_TURN = 1_000;
const EVENTS_PER_TURN = 200;
// Events that another process wrote down, or that waited for a restart, are found by looking.
const LOOK_EVERY_MS = 1_000;
// Another process tells the events of the only account that has some.
const HELD_MS = 50;
// A turn is followed by as long a rest: what has piled up is never worth the whole processor and the whole database.
const MOST_REST_MS = 200;
const NOBODY = '00000000-0000-0000-0000-000000000000';

interface Trouble {
  failures: number;
  restsUntil: number;
}

/** Of a turn that failed only half is tried next time, down to one call of one event. */
const turnAfter = (failures: number) => ({
  calls: Math.max(1, CALLS_PER_TURN >> failures),
  events: Math.max(1, EVENTS_PER_TURN >> failures),
});
// That is one call: what fails now lies in the event itself.
const MOST_FAILURES = 10;

/**
 * Tells the events that were too much for their batch: one account after another, each a bounded number of calls, so
 * that an account waits for one turn of each other account and not for all that they have (ADR 50).
 */
@Injectable()
export class FanOutTurns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** how long an account rests after failed turns; tests shorten it */
  retry = { firstMs: 200, maxMs: 1_000 };
  private readonly task = new DebouncedTask(
    (signal) => this.workOff(signal),
    (error) => this.logger.warn({ event: 'fan_outs.failed', err: error }, 'fan-outs: tried again soon'),
  );
  private readonly troubles = new Map<string, Trouble>();
  private last = NOBODY;

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
    this.task.every(LOOK_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** There are new ones. */
  trigger(): void {
    this.task.trigger();
  }

  private async workOff(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const accountId = await this.fanOuts.nextAccount(this.dataSource.manager, this.last, this.resting());
      if (accountId === undefined) return;
      this.last = accountId;
      await this.pressure.eased(signal);
      if (signal.aborted) return;
      const begun = performance.now();
      const calls = await this.turn(accountId);
      const rest = calls === 'held' ? HELD_MS : performance.now() - begun;
      await pause(Math.min(rest, MOST_REST_MS), signal);
    }
  }

  private resting(): string[] {
    const now = performance.now();
    return [...this.troubles]
      .filter(([, { restsUntil }]) => restsUntil > now)
      .map(([accountId]) => accountId);
  }

  /** Never throws: what fails has its account rest, and nobody else. */
  private async turn(accountId: string): Promise<number | 'held'> {
    const most = turnAfter(this.troubles.get(accountId)?.failures ?? 0);
    try {
      const calls = await this.dataSource.transaction((tx) => this.tell(tx, accountId, most));
      this.troubles.delete(accountId);
      if (calls !== 'held') this.metrics.planned(accountId, calls);
      return calls;
    } catch (error) {
      await this.failed(accountId, error);
      return 0;
    }
  }

  /** @returns how many calls it requested */
  private async tell(
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
    // what begins in the middle of the webhooks, or ends there, has a turn of its own
    const whole = !last && first.told_until === null;
    const planned: Planned[] = [];
    const told: FanOut[] = [];
    for (const fanOut of whole ? front : [first]) {
      if (planned.length >= most.calls) break;
      const present = listeners.filter(({ created_at }) => created_at <= fanOut.matched_at);
      planned.push(...planCalls(fanOut, present, new Date()));
      told.push(fanOut);
    }
    if (last) await this.fanOuts.toldUntil(tx, first, last.id);
    else await this.fanOuts.remove(tx, told);
    return this.requests.add(tx, planned);
  }

  private async failed(accountId: string, error: unknown): Promise<void> {
    const failures = (this.troubles.get(accountId)?.failures ?? 0) + 1;
    const kind = failureKind(error);
    const about = { event: 'fan_outs.turn_failed', account_id: accountId, failures, kind, err: error };
    this.logger.warn(about, 'fan-outs of an account: half as much is tried next');
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
      'an event that nobody can tell: a dead letter',
    );
  }
}
