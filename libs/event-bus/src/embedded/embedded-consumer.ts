import { setTimeout as nap } from 'node:timers/promises';
import type { Stream } from '@postmesh/contracts';
import type pg from 'pg';
import type { BusLogger } from '../bus-logger.js';
import { DEFAULT_BATCH, type RunningSubscription, type Subscription } from '../event-bus.port.js';
import { Redelivery } from '../redelivery.js';
import { endsWithin, Signal } from '../signal.js';
import { partitionName } from './assignment.rules.js';
import { readEvents, type Cursor, type LogRecord } from './event-log.js';
import type { Membership } from './membership.js';

// Every hint can be lost: this is how long an event may then wait.
const SWEEP_MS = 1_000;
// A batch costs a transaction and a commit, whatever its size. After a small one the next is given this long to grow,
// so that a busy stream is taken in a hundred batches a second and not in a thousand; a lone event never waits.
const GATHER_MS = 8;
const SMALL_BATCH = 100;
// A stop waits so long for a running batch; after that its events are another member's again.
const STOP_PATIENCE_MS = 8_000;

/** The loop of one member: keep its place in the group, read, hand over, commit. */
export class EmbeddedConsumer implements RunningSubscription {
  private readonly wakeUp = new Signal();
  private readonly dirty = new Set<Stream>();
  private membershipIsDue = true;
  private stopping: Promise<void> | undefined;
  private stopped = false;
  private healthy = false;
  private readonly redelivery: Redelivery;
  private turn = 0;
  private sweptAt = 0;
  private loop: Promise<void> = Promise.resolve();
  private joined: () => void = () => undefined;

  constructor(
    private readonly subscription: Subscription,
    private readonly membership: Membership,
    private readonly pool: pg.Pool,
    private readonly logger: BusLogger,
  ) {
    this.redelivery = new Redelivery(subscription.group, logger);
  }

  get member(): string {
    return this.membership.member;
  }

  get group(): string {
    return this.subscription.group;
  }

  /** Resolves when the member has joined its group, however long the database takes to come back. */
  start(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.joined = resolve;
    });
    this.loop = this.run();
    return joined;
  }

  streamHasEvents(stream: string): void {
    const own = this.subscription.streams.find((name) => name === stream);
    if (own === undefined) return;
    this.dirty.add(own);
    this.wakeUp.raise();
  }

  groupHasChanged(): void {
    this.membershipIsDue = true;
    this.wakeUp.raise();
  }

  ready(): boolean {
    return this.healthy && !this.stopped;
  }

  holds(): string[] {
    return this.membership.cursors().map(partitionName);
  }

  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private async leave(): Promise<void> {
    this.stopped = true;
    this.wakeUp.raise();
    this.joined();
    if (!(await endsWithin(this.loop, STOP_PATIENCE_MS))) {
      this.logger.warn(
        { group: this.group },
        'event bus: left the group while a batch was still being handled',
      );
    }
    await this.membership.leave();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.step();
        this.redelivery.succeeded();
      } catch (error) {
        await this.pauseAfter(error);
      }
    }
  }

  private async step(): Promise<void> {
    if (this.membershipIsDue) await this.renewMembership();
    const batch = await this.readNext();
    if (batch.length === 0) return this.idle();
    await this.subscription.handle(batch.map(({ received }) => received));
    await this.commit(batch);
    if (batch.length < SMALL_BATCH && !this.stopped) await nap(GATHER_MS);
  }

  private async idle(): Promise<void> {
    const untilSweep = this.sweptAt + SWEEP_MS - Date.now();
    if (untilSweep > 0) await this.wakeUp.wait(untilSweep);
    else this.markAllDirty();
  }

  /** What the store answers tells whether this member takes part; what a handler throws does not. */
  private async asking<T>(work: Promise<T>): Promise<T> {
    try {
      const answer = await work;
      this.healthy = true;
      return answer;
    } catch (error) {
      this.healthy = false;
      throw error;
    }
  }

  private async renewMembership(): Promise<void> {
    this.membershipIsDue = false;
    try {
      if (await this.asking(this.membership.sync())) {
        const { group } = this;
        this.logger.info(
          { group, partitions: this.holds().length },
          'event bus: partitions of the group were shared out',
        );
      }
    } catch (error) {
      this.membershipIsDue = true;
      throw error;
    }
    this.markAllDirty();
    this.joined();
  }

  private markAllDirty(): void {
    this.sweptAt = Date.now();
    for (const stream of this.subscription.streams) this.dirty.add(stream);
  }

  private async readNext(): Promise<LogRecord[]> {
    const asked = new Set(this.dirty);
    this.dirty.clear();
    const limit = this.subscription.maxBatch ?? DEFAULT_BATCH;
    try {
      const batch = await this.asking(readEvents(this.pool, this.inTurn(asked), limit));
      // A full batch, or one that fails, leaves the rest where it was.
      if (batch.length > 0) for (const stream of asked) this.dirty.add(stream);
      return batch;
    } catch (error) {
      for (const stream of asked) this.dirty.add(stream);
      throw error;
    }
  }

  /** Another partition comes first each time, so that a busy one cannot keep the others waiting. */
  private inTurn(streams: ReadonlySet<Stream>): Cursor[] {
    const cursors = this.membership.cursors().filter(({ stream }) => streams.has(stream));
    const first = cursors.length === 0 ? 0 : this.turn % cursors.length;
    return [...cursors.slice(first), ...cursors.slice(0, first)];
  }

  private async commit(batch: readonly LogRecord[]): Promise<void> {
    const ends = new Map(batch.map((record) => [partitionName(record), record.position]));
    this.turn += ends.size;
    const lost = await this.asking(this.membership.commit(this.pool, ends));
    if (lost.length === 0) return;
    this.membershipIsDue = true;
    this.logger.warn(
      { group: this.group, partitions: lost },
      'event bus: another member has these partitions now',
    );
  }

  private async pauseAfter(error: unknown): Promise<void> {
    const wasDue = this.membershipIsDue;
    const isDisturbed = (): boolean => this.stopped || (this.membershipIsDue && !wasDue);
    await this.redelivery.pauseAfter(error, this.wakeUp, isDisturbed);
  }
}
