import { endsWithin, isRunning, processSpace, processStart } from '@postmesh/concurrency';
import { newId } from '@postmesh/contracts';
import type { DatabaseClock } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import type { DataSource, EntityManager } from 'typeorm';
import type { Abandoned, LeasedRows } from './leased-rows.js';
import type { LeasedItem } from './leased-table.js';
import { MAX_CRASHES } from './statements.js';

/** A worker without a heartbeat for this long whose lease ran out counts as dead. */
const WORKER_SILENCE_S = 10;
// Two heartbeats of a busy worker: one that is silent for this long has its process checked.
const ASK_AFTER_S = 4;
const MAX_BEAT_MS = 2_000;
// While no row of the queue is leased. Half of WORKER_SILENCE_S: a row that is claimed behind it has a living owner.
const IDLE_BEAT_MS = 5_000;
// A heartbeat that is late by this is a sign of trouble: in this process, or in the database and then for every worker.
const LATE_BEAT_MS = 3_000;
const MAX_FREED = 1_000;
const FORGET_EVERY_MS = 300_000;
// A lease is renewed at a third of its time, and for short ones the interval is half of that: two heartbeats may fail.
const RENEW_AT = 1 / 3;
const BEAT_AT = RENEW_AT / 2;
// Longer than every timeout of SMTP over five hosts together: a longer attempt is the result of a bug and is given up.
const MAX_ATTEMPT_MS = 3 * 3_600_000;
const SIGN_OFF_MS = 500;

export interface WorkerLeaseOptions<Item> {
  readonly leaseSeconds: number;
  /** read with every heartbeat */
  readonly clock: DatabaseClock;
  /** what this worker has in flight; `since` on the clock of `performance.now()` */
  readonly inFlight: () => Iterable<{ readonly id: string; readonly since: number }>;
  /** in the transaction that frees rows of dead workers: their attempts ended with an unknown result */
  readonly onAbandoned?: ((manager: EntityManager, items: readonly Item[]) => Promise<void>) | undefined;
  /** in the same transaction: these crashed `MAX_CRASHES` workers and were removed; missing: they are tried again */
  readonly onSetAside?: ((manager: EntityManager, items: readonly Item[]) => Promise<void>) | undefined;
  /** rows of others were freed: some are due */
  readonly onFreed: () => void;
}

/**
 * Every two seconds or sooner, and every five while the queue is idle: records the heartbeat of this worker, reads the
 * database's clock, renews its leases, frees rows of dead workers. A silent worker keeps its rows until their leases
 * expire, since it may know how its attempts end; only a worker whose process on this machine is gone is dead at once.
 */
export class WorkerLease<Item extends LeasedItem> {
  readonly id = newId();
  private readonly space = processSpace();
  private readonly process = this.describe();
  private timer: NodeJS.Timeout | undefined;
  private left = false;
  private running: Promise<void> | undefined;
  private renewedAt = performance.now();
  private forgotAt = performance.now();
  private expectedAt = Number.POSITIVE_INFINITY;
  private mayFree = false;
  private lateAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: LeasedRows<Item>,
    private readonly logger: Logger,
    private readonly options: WorkerLeaseOptions<Item>,
  ) {}

  /** @throws the database's error: a worker without a recorded heartbeat must not begin */
  async start(): Promise<void> {
    await this.heartbeat();
    await this.freeAbandoned();
    this.planBeat();
  }

  /** After each other: a slow database gets one query at a time. */
  private planBeat(): void {
    if (this.left) return;
    this.timer = setTimeout(() => {
      this.running = this.keep().finally(() => {
        this.running = undefined;
        this.planBeat();
      });
    }, this.beatMs());
  }

  private beatMs(): number {
    const [first] = this.options.inFlight();
    const mostMs = first === undefined && !this.mayFree ? IDLE_BEAT_MS : MAX_BEAT_MS;
    return Math.min(mostMs, this.options.leaseSeconds * 1_000 * BEAT_AT);
  }

  /** Deregisters: rows that the worker still holds are free for others at once. */
  async leave(): Promise<void> {
    this.left = true;
    clearTimeout(this.timer);
    // a heartbeat after the deregistration would bring the worker back
    if (this.running) await endsWithin(this.running, SIGN_OFF_MS);
    await this.dataSource.query('delete from workers where id = $1', [this.id]);
  }

  /** @returns whether others hold rows, or a lease of our own ran out: only then rows may have to be freed */
  async heartbeat(): Promise<boolean> {
    const identity = await this.process;
    const askedAt = performance.now();
    const row = await this.rows.beat(this.id, identity);
    this.options.clock.follow(row.now, askedAt);
    const now = performance.now();
    if (now - this.expectedAt > LATE_BEAT_MS) this.lateAt = now;
    this.mayFree = row.mayFree;
    this.expectedAt = now + this.beatMs();
    return row.mayFree;
  }

  /** @returns how many rows were freed */
  async freeAbandoned(): Promise<number> {
    const request = {
      silenceSeconds: WORKER_SILENCE_S,
      limit: MAX_FREED,
      mayRunOut: this.mayRunOut(),
      dead: await this.findDead(),
    };
    const items = await this.dataSource.transaction(async (manager) => {
      const freed = await this.rows.freeAbandoned(manager, request);
      await this.tell(manager, freed);
      return freed;
    });
    if (items.length > 0) {
      this.logger.warn(
        { event: 'lease.freed', rows: items.length },
        'rows of dead workers freed, will be retried',
      );
      this.options.onFreed();
    }
    return items.length;
  }

  private async tell(manager: EntityManager, freed: readonly Abandoned<Item>[]): Promise<void> {
    const { onAbandoned, onSetAside } = this.options;
    const isOver = ({ crashes }: Abandoned<Item>) => onSetAside !== undefined && crashes >= MAX_CRASHES;
    const over = freed.filter(isOver).map(({ item }) => item);
    const again = freed.filter((one) => !isOver(one)).map(({ item }) => item);
    if (again.length > 0) await onAbandoned?.(manager, again);
    if (over.length === 0) return;
    await this.rows.remove(manager, over);
    await onSetAside?.(manager, over);
  }

  /** Silent workers whose processes ran on this machine and have ended. */
  private async findDead(): Promise<string[]> {
    const space = await this.space;
    const silent = space === '' ? [] : await this.rows.silentOthers(this.id, ASK_AFTER_S);
    const dead: string[] = [];
    for (const { id, process: said } of silent) {
      const [where, pid, started = ''] = said.split(' ');
      if (where === space && !(await isRunning({ pid: Number(pid), started }))) dead.push(id);
    }
    return dead;
  }

  /** `<space> <pid> <start>`; null where a process has no unique identity */
  private async describe(): Promise<string | null> {
    const [space, started] = await Promise.all([this.space, processStart(process.pid)]);
    return space === '' || started === '' ? null : `${space} ${process.pid} ${started}`;
  }

  private async keep(): Promise<void> {
    try {
      const mayFree = await this.heartbeat();
      await this.renew();
      if (mayFree) await this.freeAbandoned();
      await this.forget();
    } catch (error) {
      this.logger.error({ event: 'lease.heartbeat_failed', err: error }, 'heartbeat failed, will retry');
    }
  }

  private async renew(): Promise<void> {
    const now = performance.now();
    const every = this.options.leaseSeconds * 1_000 * RENEW_AT;
    if (now - this.renewedAt < every) return;
    const old = [...this.options.inFlight()].filter(
      ({ since }) => now - since >= every && now - since < MAX_ATTEMPT_MS,
    );
    const ids = old.map(({ id }) => id);
    if (ids.length > 0) await this.rows.renew(this.id, ids, this.options.leaseSeconds);
    this.renewedAt = now;
  }

  private async forget(): Promise<void> {
    const now = performance.now();
    if (now - this.forgotAt < FORGET_EVERY_MS) return;
    this.forgotAt = now;
    await this.rows.forgetWorkers();
  }

  /** After an outage of the database, leases of living workers have expired too: they get time to renew them. */
  private mayRunOut(): boolean {
    return performance.now() - this.lateAt > WORKER_SILENCE_S * 1_000;
  }
}
