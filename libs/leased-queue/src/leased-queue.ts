import { endsWithin, pause, Permits, Signal } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import type { DataSource, EntityManager } from 'typeorm';
import { FairPermits, flowShare } from './fair-permits.js';
import { IntakeClaims } from './intake-claims.js';
import { LeasedRows } from './leased-rows.js';
import type { Ending, LeasedItem, LeasedTable, NewRow } from './leased-table.js';
import { Recorder } from './recorder.js';
import { WorkerLease } from './worker-lease.js';

// Finds what other workers took in, and whatever became due without a signal.
const SWEEP_MS = 1_000;
// Rows that come, and permits that become free, within this time are met by one claim instead of one each.
const GATHER_MS = 5;
const GATHER_BUSY_MS = 10;
const MAX_CLAIM = 200;
// Behind a backlog that has no permits, others are looked for this often.
const TURNS_MS = 100;
// Of a stop: for the last writes, for the ends of connections, for giving back and leaving.
const RECORD_MS = 800;
const QUIT_MS = 300;
const SIGN_OFF_MS = 500;
// Nobody may have more than three times what stays free: one account gets three quarters of a worker.
const ACCOUNT_SHARE = 3;

export interface LeasedQueueOptions {
  /** items worked on at once */
  readonly concurrency: number;
  readonly maxPerKey: number;
  readonly leaseSeconds: number;
  /** what is with a remote may end within this time after the stop began, ms */
  readonly graceMs: number;
}

/** What a queue is worked by. */
export interface LeasedWork<Item extends LeasedItem, Made> {
  /** before the first claim; tries until it has what it needs, or the worker stops */
  beforeFirstClaim?(stopping: AbortSignal): Promise<void>;
  /** One attempt over the network. Whatever the network does is a result. */
  make(item: Item): Promise<Made>;
  /**
   * Writes results down with `queue.settle`, in this transaction; events of theirs go with it.
   * @returns for each, in their order, whether it was this worker's
   */
  record(manager: EntityManager, made: readonly Made[]): Promise<readonly boolean[]>;
  /** It was written down, or the lease was lost. @returns when the item is due again, if it is */
  recorded(made: Made, own: boolean): Date | null;
  /** whether a remote may have been reached; such an item is not given back at a stop */
  hasBegun(item: Item): boolean;
  /** a dead worker had these in flight: nobody knows how their attempts ended */
  abandoned?(manager: EntityManager, items: readonly Item[]): Promise<void>;
  /** Begins nothing more; cuts what is still with a remote after the grace. */
  stop(graceMs: number): Promise<void>;
}

interface InFlight {
  readonly id: string;
  readonly since: number;
  readonly isBegun: () => boolean;
  ended: Promise<void>;
}

type Flow = Pick<LeasedItem, 'key' | 'accountId'>;

const flowOf = ({ accountId, key }: Flow): string => `${accountId} ${key}`;

const readFlow = (flow: string): Flow => {
  const at = flow.indexOf(' ');
  return { accountId: flow.slice(0, at), key: flow.slice(at + 1) };
};

/**
 * Rows that are claimed under a lease, worked on over the network, and recorded (architecture §3.9): due → claim →
 * work → record, for as long as the worker lives. Woken by intakes and by permits that become free; otherwise the
 * clock and the next due time rule. Retries need no alarm of their own: the due time in the row is swept.
 */
export class LeasedQueue<Item extends LeasedItem, Made> {
  readonly rows: LeasedRows<Item>;
  readonly lease: WorkerLease<Item>;
  private readonly recorder: Recorder<Made>;
  /** being made or written down */
  private readonly inFlight = new Set<InFlight>();
  /** being made, or taken in as claimed and not yet begun */
  private busy = 0;
  private readonly keys: FairPermits;
  private readonly accounts: FairPermits;
  /** in flight of one account and key */
  private readonly flows = new Permits(Number.POSITIVE_INFINITY);
  private readonly intakes = new IntakeClaims();
  /** the last claim left due rows behind: every permit that becomes free is worth a look; true until the first claim */
  private leftBehind = true;
  /** when to look behind a backlog again, Unix ms */
  private turnsAt = 0;
  /** claims that failed, so that they may have taken rows without our hearing of it; and how many were looked into */
  private doubts = 0;
  private resolvedDoubts = 0;
  private readonly stopping = new AbortController();
  private readonly signal = new Signal();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    table: LeasedTable<Item>,
    private readonly work: LeasedWork<Item, Made>,
    private readonly options: LeasedQueueOptions,
    private readonly logger: Logger,
  ) {
    this.rows = new LeasedRows(dataSource, table);
    this.keys = new FairPermits(options.maxPerKey);
    this.accounts = new FairPermits(options.concurrency, ACCOUNT_SHARE);
    this.recorder = new Recorder(dataSource, logger, (manager, made) => work.record(manager, made));
    this.lease = new WorkerLease(dataSource, this.rows, logger, {
      leaseSeconds: options.leaseSeconds,
      inFlight: () => this.inFlight,
      onAbandoned: work.abandoned?.bind(work),
      onFreed: () => this.wake(),
    });
  }

  /** Items that are being made now. */
  get size(): number {
    return this.busy;
  }

  /** @throws the database's error: a worker that cannot say that it lives must not begin */
  async start(): Promise<void> {
    await this.lease.start();
    this.loop = this.run();
  }

  /** Something may be due: look now. */
  wake(): void {
    this.signal.raise();
  }

  /**
   * Takes rows in, in the caller's transaction. What is due and has permits is taken in as claimed, and begins when
   * the returned function is called after the commit; when that never happens, the rows are found by their lease.
   */
  async insert(manager: EntityManager, rows: readonly NewRow[]): Promise<() => void> {
    const permitted = this.mayClaimAtIntake() ? rows.filter((row) => this.tryOccupy(row)) : [];
    const claim = this.intakes.add(
      permitted,
      (reserved) => reserved.forEach((row) => this.vacate(row)),
      () => this.doubt(),
    );
    const lease = { worker: this.lease.id, leaseSeconds: this.options.leaseSeconds, ids: claim.ids };
    try {
      const items = await this.rows.insert(manager, rows, lease);
      return () => {
        const isOurs = claim.end() && !this.stopping.signal.aborted;
        if (isOurs) this.begin(items);
        else if (items.length > 0) this.doubt();
        if (permitted.length < rows.length) this.wake();
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

  /** Writes a result down. @returns false when the lease was lost and nothing was written */
  record(made: Made): Promise<boolean> {
    return this.recorder.record(made);
  }

  /**
   * Begins nothing more, lets what is with a remote end within the grace, gives back the rest. What is not written
   * down then is found by its missing worker and tried again.
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
    // a claim that was being made brings its items; they are given back one by one
    await this.loop;
    await Promise.all([...this.inFlight].map(({ ended }) => ended));
    await endsWithin(stopped, QUIT_MS);
  }

  private async signOff(): Promise<void> {
    try {
      if (this.inDoubt || this.inFlight.size > 0) await this.giveBack();
      await this.lease.leave();
    } catch (error) {
      this.logger.warn(
        { event: 'lease.leave_failed', err: error },
        'others notice the silence of this worker',
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

  /** @returns whether there are permits and reason to claim again at once */
  private async fill(): Promise<boolean> {
    this.leftBehind = true;
    if (this.free() <= 0) return false;
    try {
      if (this.inDoubt) await this.giveBack();
      const { items, leftBehind, headIsBlocked } = await this.rows.claimOldest(this.request());
      this.begin(items);
      const inTurns = headIsBlocked ? await this.claimInTurns() : 0;
      this.leftBehind = leftBehind || this.free() <= 0;
      return items.length + inTurns >= MAX_CLAIM;
    } catch (error) {
      this.doubts++;
      this.logger.error({ event: 'queue.claim_failed', err: error }, 'claiming failed; trying again');
      await pause(SWEEP_MS, this.stopping.signal);
      return false;
    }
  }

  /** The head of the queue belongs to keys or accounts without permits: takes others out of turn. */
  private async claimInTurns(): Promise<number> {
    if (this.free() <= 0 || Date.now() < this.turnsAt) return 0;
    const request = this.request();
    const items = await this.rows.claimInTurns(request);
    this.begin(items);
    this.turnsAt = items.length >= request.limit ? 0 : Date.now() + TURNS_MS;
    return items.length;
  }

  private begin(items: readonly Item[]): void {
    for (const item of items) {
      this.occupy(item);
      const isBegun = () => this.work.hasBegun(item);
      const entry: InFlight = { id: item.id, since: performance.now(), isBegun, ended: Promise.resolve() };
      this.inFlight.add(entry);
      entry.ended = this.attempt(item)
        .catch((error: unknown) =>
          this.logger.error(
            { event: 'attempt.not_recorded', err: error, id: item.id },
            'attempt not recorded',
          ),
        )
        .finally(() => {
          this.inFlight.delete(entry);
          this.permitFreed();
        });
    }
  }

  /** The next item takes the permits while this one is being written down. */
  private async attempt(item: Item): Promise<void> {
    const made = await this.work.make(item).finally(() => {
      this.vacate(item);
      this.permitFreed();
    });
    const nextAt = this.work.recorded(made, await this.recorder.record(made));
    // due before the loop would look by itself
    if (nextAt !== null && nextAt.getTime() - Date.now() < SWEEP_MS) this.wake();
  }

  private permitFreed(): void {
    if (this.leftBehind) this.wake();
  }

  /** Nobody claims ahead of a database that cannot keep up with recording. */
  private free(): number {
    const { concurrency } = this.options;
    return Math.min(concurrency - this.busy, concurrency * 2 - this.inFlight.size);
  }

  /** Not while older rows wait for permits, or a claim is about to count them. */
  private mayClaimAtIntake(): boolean {
    return !this.leftBehind && !this.inDoubt && !this.signal.isRaised && !this.stopping.signal.aborted;
  }

  private tryOccupy(row: NewRow): boolean {
    if (row.dueAt.getTime() > Date.now() || (row.state ?? 'waiting') !== 'waiting') return false;
    const free = this.free();
    const ofKey = flowShare(this.keys.free(row.key, free), this.flows.inUseOf(flowOf(row)));
    if (free <= 0 || ofKey <= 0 || this.accounts.free(row.accountId, free) === 0) return false;
    this.occupy(row);
    return true;
  }

  private occupy(row: Flow): void {
    this.busy++;
    this.keys.occupy(row.key);
    this.accounts.occupy(row.accountId);
    this.flows.occupy(flowOf(row));
  }

  private vacate(row: Flow): void {
    this.busy--;
    this.keys.release(row.key);
    this.accounts.release(row.accountId);
    this.flows.release(flowOf(row));
  }

  private request() {
    const free = this.free();
    return {
      worker: this.lease.id,
      limit: Math.min(free, MAX_CLAIM),
      leaseSeconds: this.options.leaseSeconds,
      keys: this.keys.all(free),
      accounts: this.accounts.all(free),
      flows: [...this.flows.entries()].map(([flow, used]) => ({ ...readFlow(flow), used })),
    };
  }

  private doubt(): void {
    this.doubts++;
    this.wake();
  }

  /** While this is so, no intake claims: what it began would be taken for lost. */
  private get inDoubt(): boolean {
    return this.doubts > this.resolvedDoubts;
  }

  /** Whatever this worker holds without knowing, or, at a stop, has not begun to send. */
  private async giveBack(): Promise<void> {
    const { doubts } = this;
    const isStopping = this.stopping.signal.aborted;
    const kept = [...this.inFlight].filter(({ isBegun }) => !isStopping || isBegun()).map(({ id }) => id);
    await this.rows.giveBack(this.lease.id, [...kept, ...this.intakes.ids()]);
    this.resolvedDoubts = doubts;
  }

  /** Until something is due, or may be. */
  private async rest(): Promise<void> {
    await pause(this.busy > 0 ? GATHER_BUSY_MS : GATHER_MS, this.stopping.signal);
    while (!this.signal.isRaised && !this.stopping.signal.aborted) {
      const dueMs = await this.untilDueMs();
      if (dueMs <= 0) return;
      if (await this.signal.wait(Math.min(dueMs, SWEEP_MS))) return;
      if (dueMs <= SWEEP_MS) return;
    }
  }

  private async untilDueMs(): Promise<number> {
    if (this.leftBehind) {
      const turnsInMs = this.turnsAt - Date.now();
      return turnsInMs > 0 ? turnsInMs : SWEEP_MS;
    }
    // nobody else knows what is due: this is the only question of an idle worker
    return (await this.rows.nextDueInMs().catch(() => SWEEP_MS)) ?? Number.POSITIVE_INFINITY;
  }
}
