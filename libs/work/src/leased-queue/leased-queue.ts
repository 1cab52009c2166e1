import { endsWithin, pause, PollPace, Signal } from '@postmesh/concurrency';
import { retryTransient, type DatabaseClock } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import type { DataSource, EntityManager } from 'typeorm';
import { MAX_CLAIM } from './claim.sql.js';
import { IntakeClaims } from './intake-claims.js';
import { LeasedRows } from './leased-rows.js';
import {
  SINGLE,
  type Ending,
  type GroupRooms,
  type LeasedItem,
  type LeasedTable,
  type NewRow,
} from './leased-table.js';
import { Places, type InPlace } from './places.js';
import { Recorder } from './recorder.js';
import { Turns } from './turns.js';
import { WorkerLease } from './worker-lease.js';

// Poll interval for rows that other workers inserted, and for rows that became due without a signal; and the longest one,
// while nothing is in flight and no row becomes ready.
const SWEEP_MS = 1_000;
const IDLE_SWEEP_MS = 5_000;
// New rows and free permits within this time share one claim.
const GATHER_MS = 5;
const GATHER_BUSY_MS = 10;
// Least number of groups that one claim visits; the other groups with ready rows follow at the next claims.
const MIN_GROUPS = 20;
const MAX_GROUPS = 100;
// Poll interval when all visited groups are at their limit.
const WALK_MS = 50;
// Time at a stop for the last writes, for closing connections, for giving back and leaving.
const RECORD_MS = 800;
const QUIT_MS = 300;
const SIGN_OFF_MS = 500;
// Most attempts without a record that are remembered: each of them is the result of a bug.
const MAX_UNKNOWN_ENDS = 10_000;
// Retry interval of a result that came after its lease, while another worker tries the row again.
const LATE_MS = 5_000;
const LATE_TRIES = 24;

export interface LeasedQueueOptions {
  /** items worked on at once */
  readonly concurrency: number;
  /** how many of each group */
  readonly rooms: GroupRooms;
  readonly leaseSeconds: number;
  /** grace period for attempts that are with a remote when the stop begins, ms */
  readonly graceMs: number;
  /** updated by the worker's heartbeat; the work computes its due times from it */
  readonly clock: DatabaseClock;
}

/** The work of a queue. */
export interface LeasedWork<Item extends LeasedItem, Made> {
  /** runs before the first claim; retries until its data is loaded, or the worker stops */
  beforeFirstClaim?(stopping: AbortSignal): Promise<void>;
  /** One attempt over the network. Every behaviour of the network is a result, not an exception. */
  make(item: Item): Promise<Made>;
  /**
   * Records results with `queue.settle` in this transaction, with their events.
   * @returns for each result, in their order, whether the lease was this worker's
   */
  record(manager: EntityManager, made: readonly Made[]): Promise<readonly boolean[]>;
  /** The result was recorded, or the lease was lost. @returns when the item is due again, or null */
  recorded(made: Made, own: boolean): Date | null;
  /** whether a remote may have been reached; such an item is not given back at a stop */
  hasBegun(item: Item): boolean;
  /** Rows became ready in a group that is not claimed (`claimsAfter`): they wait to be moved to another group. */
  unclaimable?(): void;
  /** a dead worker had these in flight: the results of their attempts are unknown */
  abandoned?(manager: EntityManager, items: readonly Item[]): Promise<void>;
  /**
   * `MAX_CRASHES` workers in a row died with these in flight: they were removed from the table, and this records how
   * they ended. Without it they are retried without end, at long intervals.
   */
  setAside?(manager: EntityManager, items: readonly Item[]): Promise<void>;
  /** Begins no new attempt; cuts those that are still with a remote after the grace. */
  stop(graceMs: number): Promise<void>;
}

interface InFlight {
  readonly id: string;
  readonly since: number;
  readonly isBegun: () => boolean;
  ended: Promise<void>;
}

/**
 * Rows that are claimed under a lease, worked on over the network, and recorded (architecture §3.9): ready → claim →
 * work → record, for as long as the worker lives. Intakes and free permits wake the loop; otherwise the clock and the
 * next due time do. Retries need no timer of their own: the sweep finds their due time in the row.
 */
export class LeasedQueue<Item extends LeasedItem, Made> {
  readonly rows: LeasedRows<Item>;
  readonly lease: WorkerLease<Item>;
  private readonly recorder: Recorder<Made>;
  /** attempts that are running or being recorded */
  private readonly inFlight = new Set<InFlight>();
  /**
   * ids of rows whose attempt began and could not be recorded: their leases expire, and the result is reported as
   * unknown
   */
  private readonly unknownEnds = new Set<string>();
  /** permits of rows in an attempt, or inserted as claimed and not yet begun */
  private readonly places: Places;
  private readonly turns = new Turns();
  private readonly intakes = new IntakeClaims();
  /** ready rows were left behind or arrived; true until the first claim */
  private isReady = true;
  /** groups with ready rows, as far as this worker knows; undefined while some may be unknown */
  private readyGroups: Set<string> | undefined;
  /** any free permit may be of use to rows that the last claim left behind */
  private wasNarrow = true;
  /** a claim counts permits and takes them: no intake may take them meanwhile */
  private isClaiming = false;
  /** times of the next sweep, and of the next claim behind groups at their limit, by `performance.now()` */
  private sweepAt = 0;
  private readonly pace = new PollPace(SWEEP_MS, IDLE_SWEEP_MS);
  private walkAt = Number.POSITIVE_INFINITY;
  /** claims that may have committed without a result; and how many of them were given back */
  private unconfirmedClaims = 0;
  private resolvedClaims = 0;
  private readonly stopping = new AbortController();
  private readonly signal = new Signal();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly table: LeasedTable<Item>,
    private readonly work: LeasedWork<Item, Made>,
    private readonly options: LeasedQueueOptions,
    private readonly logger: Logger,
  ) {
    this.rows = new LeasedRows(dataSource, table);
    this.places = new Places(options.concurrency, options.rooms);
    this.recorder = new Recorder(dataSource, logger, (manager, made) => work.record(manager, made));
    this.lease = new WorkerLease(dataSource, this.rows, logger, {
      leaseSeconds: options.leaseSeconds,
      clock: options.clock,
      inFlight: () => this.inFlight,
      onAbandoned: work.abandoned?.bind(work),
      onSetAside: work.setAside?.bind(work),
      onFreed: () => this.wake(),
    });
  }

  /** Items that are being made now. */
  get size(): number {
    return this.places.inUse;
  }

  /** @throws the database's error: a worker without a recorded heartbeat must not begin */
  async start(): Promise<void> {
    const { table, logger } = this;
    await retryTransient(() => this.lease.start(), { what: table.name, logger });
    this.loop = this.run();
  }

  /** Rows may be due: polls now. */
  wake(): void {
    this.sweepBy(0);
  }

  /** Ready rows were moved to a group that may be claimed. @param singles rows of single priority, with their group */
  regrouped(singles: readonly Pick<LeasedItem, 'accountId' | 'key'>[]): void {
    const now = performance.now();
    for (const { accountId, key } of singles) this.turns.came(accountId, key, now);
    this.becameReady();
    this.signal.raise();
  }

  /**
   * Inserts rows in the caller's transaction. Where no row waits in its group, a due row with a free permit is inserted
   * as claimed, and begins when the returned function is called after the commit; if that call never comes, the rows
   * are found by their lease.
   */
  async insert(manager: EntityManager, rows: readonly NewRow[]): Promise<() => void> {
    const permitted = this.mayClaimAtIntake() ? rows.filter((row) => this.tryOccupy(row)) : [];
    const claim = this.intakes.add(
      permitted,
      (reserved) => reserved.forEach((row) => this.places.vacate(inPlace(row))),
      () => this.claimUnconfirmed(),
    );
    const lease = { worker: this.lease.id, leaseSeconds: this.options.leaseSeconds, ids: claim.ids };
    try {
      const items = await this.rows.insert(manager, rows, lease);
      return () => {
        const isOurs = claim.end() && !this.stopping.signal.aborted;
        if (isOurs) this.begin(items);
        else if (items.length > 0) this.claimUnconfirmed();
        this.came(rows.filter(({ id }) => !claim.ids.has(id)));
      };
    } catch (error) {
      claim.end();
      throw error;
    }
  }

  /** Part of `record`: see `LeasedRows.settle`. */
  settle(manager: EntityManager, endings: readonly Ending[]): Promise<boolean[]> {
    return this.rows.settle(manager, this.lease.id, endings);
  }

  /** Records a result. @returns false when the lease was lost and nothing was written */
  record(made: Made): Promise<boolean> {
    return this.recorder.record(made);
  }

  /**
   * Begins no new attempt, lets running ones end within the grace, gives back the rest. Attempts that are not recorded
   * by then are found by the missing heartbeat of this worker and tried again.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.signal.close();
    await endsWithin(this.drain(), this.options.graceMs + RECORD_MS);
    this.recorder.end();
    await endsWithin(this.signOff(), SIGN_OFF_MS);
  }

  private async drain(): Promise<void> {
    const stopped = this.work.stop(this.options.graceMs);
    // a claim that is running returns its items; they are given back one by one
    await this.loop;
    await Promise.all([...this.inFlight].map(({ ended }) => ended));
    await endsWithin(stopped, QUIT_MS);
  }

  private async signOff(): Promise<void> {
    try {
      if (this.mayHoldUnknown || this.inFlight.size > 0) await this.giveBack();
      await this.lease.leave();
    } catch (error) {
      this.logger.warn(
        { event: 'lease.leave_failed', err: error },
        'could not deregister worker; leases will expire',
      );
    }
  }

  private async run(): Promise<void> {
    await this.work.beforeFirstClaim?.(this.stopping.signal);
    while (!this.stopping.signal.aborted) {
      this.signal.lower();
      if (!(await this.fill())) await this.rest();
    }
  }

  /** @returns whether there are free permits and a reason to claim again at once */
  private async fill(): Promise<boolean> {
    try {
      if (this.mayHoldUnknown) await this.giveBack();
      if (performance.now() >= this.sweepAt) await this.sweep();
      if (this.isReady && this.free() > 0) return await this.claim();
      this.wasNarrow = true;
      return false;
    } catch (error) {
      this.unconfirmedClaims++;
      this.becameReady();
      this.logger.error({ event: 'queue.claim_failed', err: error }, 'claiming rows failed, will retry');
      await pause(SWEEP_MS, this.stopping.signal);
      return false;
    }
  }

  private async sweep(): Promise<void> {
    const sweepAt = performance.now() + SWEEP_MS;
    this.sweepAt = sweepAt;
    const { isReady, isUnclaimable, isCut, nextMs, fresh } = await this.rows.sweep();
    const now = performance.now();
    if (isReady || isUnclaimable || this.inFlight.size > 0) this.pace.quicken();
    const pollMs = this.pace.next();
    for (const [accountId, key] of fresh) this.turns.came(accountId, key, now);
    if (isReady) this.becameReady();
    if (isUnclaimable) this.work.unclaimable?.();
    const nextAt = isCut ? 0 : now + Math.min(nextMs ?? pollMs, pollMs);
    // an intake or a result may have asked for a sooner one during the statement
    this.sweepAt = this.sweepAt < sweepAt ? Math.min(this.sweepAt, nextAt) : nextAt;
  }

  private async claim(): Promise<boolean> {
    const limit = Math.min(this.free(), MAX_CLAIM);
    const mostGroups = Math.max(MIN_GROUPS, Math.min(MAX_GROUPS, limit * 2));
    const { turns } = this;
    const bounds = this.places.bounds(limit, turns.freshGroups(performance.now()), turns.cursorGroups());
    const request = {
      worker: this.lease.id,
      leaseSeconds: this.options.leaseSeconds,
      bounds,
      turns,
      mostGroups,
    };
    this.isClaiming = true;
    // rows that arrive from now on set it again
    this.isReady = false;
    try {
      const claimed = await this.rows.claim(request);
      const isFull = claimed.items.length >= limit;
      this.begin(claimed.items);
      this.wasNarrow = isFull || this.places.areNarrow;
      turns.claimed(claimed.turns, claimed.groups.at(-1) ?? null, isFull);
      // rows that arrived meanwhile are known by `isReady` alone
      this.readyGroups = claimed.hasMoreGroups || this.isReady ? undefined : new Set(claimed.groups);
      this.isReady ||= claimed.leftBehind;
      const goesOn = claimed.leftBehind && claimed.hasMoreGroups && !isFull;
      this.walkAt = goesOn ? performance.now() + WALK_MS : Number.POSITIVE_INFINITY;
      return isFull || (claimed.items.length > 0 && (claimed.isCut || goesOn));
    } finally {
      this.isClaiming = false;
    }
  }

  private begin(items: readonly Item[]): void {
    for (const item of items) {
      this.places.occupy(item);
      const isBegun = () => this.work.hasBegun(item);
      const entry: InFlight = { id: item.id, since: performance.now(), isBegun, ended: Promise.resolve() };
      this.inFlight.add(entry);
      // the result of this new attempt will be recorded
      this.unknownEnds.delete(item.id);
      entry.ended = this.attempt(item)
        .catch((error: unknown) => this.notRecorded(item, error))
        .finally(() => {
          this.inFlight.delete(entry);
          this.placeFreed(item);
        });
    }
  }

  /** The next item takes the permit while this one is being recorded. */
  private async attempt(item: Item): Promise<void> {
    const made = await this.work.make(item).finally(() => {
      this.places.vacate(item);
      this.placeFreed(item);
    });
    const nextAt = this.work.recorded(made, await this.writeDown(item, made));
    // due before the next sweep
    if (nextAt !== null) this.sweepWhenDue(nextAt);
  }

  private notRecorded({ id }: Item, error: unknown): void {
    const [oldest] = this.unknownEnds;
    if (oldest !== undefined && this.unknownEnds.size >= MAX_UNKNOWN_ENDS) this.unknownEnds.delete(oldest);
    this.unknownEnds.add(id);
    this.logger.error(
      { event: 'attempt.not_recorded', err: error, id },
      'attempt not recorded, will be retried when its lease expires',
    );
  }

  /** Records the result even if the lease expired and another worker has begun again. */
  private async writeDown(item: Item, made: Made): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      if (await this.recorder.record(made)) return true;
      if (tries > LATE_TRIES || this.stopping.signal.aborted || !(await this.rows.isHeldByOthers(item)))
        return false;
      await pause(LATE_MS, this.stopping.signal);
    }
  }

  /** While permits are plentiful, a free one is of use to its own group only. */
  private placeFreed({ key }: Item): void {
    if (this.isClaiming || (this.isReady && (this.wasNarrow || this.mayWaitIn(key)))) this.signal.raise();
  }

  private sweepWhenDue(dueAt: Date): void {
    const at = performance.now() + dueAt.getTime() - this.options.clock.now();
    if (at < this.sweepAt) this.sweepBy(at);
  }

  private sweepBy(at: number): void {
    this.sweepAt = Math.min(this.sweepAt, at);
    this.signal.raise();
  }

  /** Rows were inserted without being claimed. */
  private came(rows: readonly NewRow[]): void {
    const now = performance.now();
    for (const { accountId, key, lane = SINGLE, dueAt, state } of rows) {
      if (state !== undefined) continue;
      if (!this.isDue(dueAt)) {
        this.sweepWhenDue(dueAt);
        continue;
      }
      if (this.isUnknown(key)) continue;
      if (lane === SINGLE) this.turns.came(accountId, key, now);
      this.becameReady(key);
    }
    if (this.isReady) this.signal.raise();
  }

  /** @param groupKey undefined: any group */
  private becameReady(groupKey?: string): void {
    if (groupKey === undefined) this.readyGroups = undefined;
    else if (!this.isReady) this.readyGroups = new Set([groupKey]);
    else this.readyGroups?.add(groupKey);
    this.isReady = true;
  }

  private free(): number {
    return Math.min(this.places.free(), this.unrecorded());
  }

  /** Attempts that are not recorded yet: no claims run ahead of a database that is slow to record. */
  private unrecorded(): number {
    return this.options.concurrency * 2 - this.inFlight.size;
  }

  /** False while a claim counts permits and takes them. */
  private mayClaimAtIntake(): boolean {
    return !this.isClaiming && !this.mayHoldUnknown && !this.stopping.signal.aborted;
  }

  private tryOccupy(row: NewRow): boolean {
    if (!this.isDue(row.dueAt) || row.state !== undefined) return false;
    if (this.isUnknown(row.key) || this.mayWaitIn(row.key)) return false;
    return this.places.tryOccupy(inPlace(row), this.unrecorded());
  }

  private isDue(dueAt: Date): boolean {
    return dueAt.getTime() <= this.options.clock.now();
  }

  /** Whether older rows of the group may wait for permits. */
  private mayWaitIn(groupKey: string): boolean {
    return this.isReady && (this.readyGroups?.has(groupKey) ?? true);
  }

  private isUnknown(key: string): boolean {
    return key <= (this.table.claimsAfter ?? '');
  }

  private claimUnconfirmed(): void {
    this.unconfirmedClaims++;
    this.wake();
  }

  /** While this is true, no intake claims: its rows could be mistaken for lost ones and given back. */
  private get mayHoldUnknown(): boolean {
    return this.unconfirmedClaims > this.resolvedClaims;
  }

  /** Gives back all rows that this worker holds without knowing, or, at a stop, has not begun to send. */
  private async giveBack(): Promise<void> {
    const { unconfirmedClaims } = this;
    const isStopping = this.stopping.signal.aborted;
    const kept = [...this.inFlight].filter(({ isBegun }) => !isStopping || isBegun()).map(({ id }) => id);
    await this.rows.giveBack(this.lease.id, [...kept, ...this.unknownEnds, ...this.intakes.ids()]);
    this.resolvedClaims = unconfirmedClaims;
    this.sweepAt = 0;
  }

  /** Waits until rows are due, or may be. */
  private async rest(): Promise<void> {
    await pause(this.size > 0 ? GATHER_BUSY_MS : GATHER_MS, this.stopping.signal);
    const until = Math.min(this.sweepAt, this.walkAt);
    await this.signal.wait(Math.max(0, until - performance.now()), this.stopping.signal);
  }
}

const inPlace = ({ accountId, key, lane = SINGLE }: NewRow): InPlace => ({ accountId, key, lane });
