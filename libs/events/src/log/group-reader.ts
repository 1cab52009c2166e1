import { endsWithin, Gathering, pause, PollPace, Signal } from '@postmesh/concurrency';
import type { Stream } from '@postmesh/contracts';
import type pg from 'pg';
import {
  DEFAULT_BATCH,
  type BusLogger,
  type ReceivedEvent,
  type RunningSubscription,
  type Subscription,
} from '../event-bus.port.js';
import { Redelivery } from '../redelivery.js';
import { BatchLimits } from './batch-limits.js';
import { BusClient } from './connections.js';
import { readEvents, type LogTables } from './event-log.js';
import { GroupPositions } from './group-positions.js';
import { takeTurn } from './group-turn.js';

// Every hint can be lost: this is how long an event may then wait, and in a group without events that long at most. Half
// of the lease, too, as the reads of the sweep show that this process lives.
const SWEEP_MS = 1_000;
const IDLE_SWEEP_MS = 5_000;
// A batch costs a transaction and a commit, whatever its size. After a small one the next has this long to grow,
// longer while many events come: a lone event never waits, nor do the callers behind it, nor does a backlog of which a
// limit cuts small batches.
const GATHER_MS = 8;
const MOST_GATHER_MS = 50;
const SMALL_BATCH = 100;
// Shows while a batch is handled that this process lives, and finds out that the connection does not. At any other time
// the reads of the sweep do.
const BEAT_MS = 1_000;
// A stop waits so long for a running batch; after that the session ends, and with it the turn.
const STOP_MS = 8_000;

// The copy of positions may be lost in a crash of the server. A queue's table is always empty or full of what was just
// written, which misleads the planner: only the index is ever right.
export const READER_SETTINGS = ['synchronous_commit=off', 'enable_seqscan=off', 'enable_bitmapscan=off']
  .map((setting) => `-c ${setting}`)
  .join(' ');

export interface GroupReaderOptions {
  connection: pg.ClientConfig;
  /** default BusClient */
  Client?: typeof BusClient;
  log: LogTables;
  /** PostgreSQL notifies on this channel of new events, of which the payload has the streams; none: the caller does */
  channel?: string;
  leaseMs: number;
  logger: BusLogger;
}

/**
 * The reader of one group in this process: one connection, which holds the group's turn, reads and keeps the copy of
 * its positions. While another process has the turn it waits. When its connection dies in the middle of a batch,
 * another process may begin with the same events: whichever moves the positions first wins, the other's transaction
 * fails.
 */
export class GroupReader implements RunningSubscription {
  private readonly wakeUp = new Signal();
  private readonly dirty = new Set<Stream>();
  private readonly positions: GroupPositions;
  private readonly redelivery: Redelivery;
  private readonly maxBatch: number;
  private readonly limits: BatchLimits;
  private readonly gathering = new Gathering({ maxMs: MOST_GATHER_MS });
  private state: 'away' | 'waits' | 'reads' = 'away';
  private stopped = false;
  private stopping: Promise<void> | undefined;
  private readonly pace: PollPace;
  private sweepAt = Number.NEGATIVE_INFINITY;
  private turn = 0;
  private client: pg.Client | undefined;
  private lost: Error | undefined;
  private loop: Promise<void> = Promise.resolve();
  private joined: () => void = () => undefined;

  constructor(
    readonly subscription: Subscription,
    private readonly options: GroupReaderOptions,
  ) {
    const { group, streams, positions, maxBatch = DEFAULT_BATCH } = subscription;
    this.maxBatch = maxBatch;
    this.limits = new BatchLimits(maxBatch);
    this.positions = new GroupPositions(options.log, group, streams, positions);
    this.redelivery = new Redelivery(group, options.logger);
    this.pace = new PollPace(SWEEP_MS, Math.max(SWEEP_MS, Math.min(IDLE_SWEEP_MS, options.leaseMs / 2)));
  }

  /** Resolves when it reads or waits for its turn, however long the database takes to come back. */
  start(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.joined = resolve;
    });
    this.loop = this.run();
    return joined;
  }

  streamsHaveEvents(streams: Iterable<string>): void {
    const before = this.dirty.size;
    for (const stream of this.subscription.streams) {
      for (const one of streams) if (one === stream) this.dirty.add(stream);
    }
    if (this.dirty.size > before) this.wakeUp.raise();
  }

  ready(): boolean {
    return this.state !== 'away' && !this.stopped;
  }

  holds(): string[] {
    return this.state === 'reads' ? [...this.subscription.streams] : [];
  }

  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private async leave(): Promise<void> {
    this.stopped = true;
    this.wakeUp.raise();
    this.joined();
    if (await endsWithin(this.loop, STOP_MS)) return;
    const { group } = this.subscription;
    this.options.logger.warn({ event: 'group.left_early', group }, 'event bus: left while handling a batch');
    await this.client?.end().catch(() => undefined);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.session();
      } catch (error) {
        this.state = 'away';
        if (!this.stopped) await this.redelivery.pauseAfter(error, this.wakeUp, () => this.stopped);
      }
    }
    this.state = 'away';
  }

  /** The life of one connection. @throws when it ends before a stop */
  private async session(): Promise<void> {
    const client = this.connect();
    try {
      await client.connect();
      await this.listen(client);
      if (!(await this.takeTurn(client))) return;
      await this.loadPositions(client);
      while (!this.stopped) await this.step(client);
      await this.positions.write(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private connect(): pg.Client {
    const { Client = BusClient, connection } = this.options;
    const client = new Client(connection);
    this.lost = undefined;
    client.on('error', (error) => {
      this.lost = error;
      this.wakeUp.raise();
    });
    this.client = client;
    return client;
  }

  private async listen(client: pg.Client): Promise<void> {
    const { channel } = this.options;
    if (channel === undefined) return;
    client.on('notification', ({ payload }) => this.streamsHaveEvents((payload ?? '').split(',')));
    await client.query(`listen ${channel}`);
  }

  private takeTurn(client: pg.Client): Promise<boolean> {
    const { group } = this.subscription;
    const waiting = {
      signal: this.wakeUp,
      isStopped: () => this.stopped,
      onWait: () => this.becomes('waits'),
    };
    return takeTurn(client, { group, leaseMs: this.options.leaseMs }, waiting);
  }

  private becomes(state: 'waits' | 'reads'): void {
    if (this.state !== state) {
      const { group } = this.subscription;
      const text = state === 'reads' ? 'event bus: reads for the group' : 'event bus: waits for its turn';
      this.options.logger.info({ event: `group.${state}`, group }, text);
    }
    this.state = state;
    this.joined();
  }

  private async loadPositions(client: pg.Client): Promise<void> {
    const beyond = await this.positions.load(client);
    if (beyond.length > 0) {
      const about = { event: 'group.rewound', group: this.subscription.group, streams: beyond };
      this.options.logger.error(about, 'event bus: the log is older than the positions');
    }
    this.markAllDirty();
    this.becomes('reads');
  }

  private async step(client: pg.Client): Promise<void> {
    const { batch, mayHaveMore } = await this.readNext(client);
    if (batch.length === 0) return this.idle(client);
    this.pace.quicken();
    this.sweepAt = Math.min(this.sweepAt, performance.now() + SWEEP_MS);
    if (!(await this.handle(client, batch))) return;
    const ends = new Map(batch.map(({ stream, place }) => [stream, place.position]));
    this.turn += ends.size;
    await this.positions.moved(client, ends);
    const read = batch.reduce((count, { passed = 0 }) => count + passed + 1, 0);
    this.gathering.arrived(read);
    if (read < SMALL_BATCH && !mayHaveMore && !this.stopped)
      await pause(Math.max(GATHER_MS, this.gathering.waitMs()));
  }

  /** @returns false when it failed: part of it may be committed all the same, so the positions are read again */
  private async handle(client: pg.Client, batch: readonly ReceivedEvent[]): Promise<boolean> {
    const beat = setInterval(() => void client.query('select').catch(() => undefined), BEAT_MS);
    try {
      return await this.handleAndWait(client, batch);
    } finally {
      clearInterval(beat);
    }
  }

  private async handleAndWait(client: pg.Client, batch: readonly ReceivedEvent[]): Promise<boolean> {
    let failure: unknown;
    try {
      await this.subscription.handle(batch);
      this.redelivery.succeeded();
    } catch (error) {
      failure = error ?? new Error('failed without a reason');
    }
    // without its connection this process has lost its turn
    if (this.lost) throw this.lost;
    if (failure === undefined) return true;
    await this.redelivery.pauseAfter(failure, this.wakeUp, () => this.stopped || this.lost !== undefined);
    if (!this.stopped) await this.loadPositions(client);
    return false;
  }

  private async idle(client: pg.Client): Promise<void> {
    await this.positions.writeWhenDue(client);
    const untilSweep = this.sweepAt - performance.now();
    if (untilSweep > 0) await this.wakeUp.wait(untilSweep);
    else this.markAllDirty();
    if (this.lost) throw this.lost;
  }

  private markAllDirty(): void {
    this.sweepAt = performance.now() + this.pace.next();
    for (const stream of this.subscription.streams) this.dirty.add(stream);
  }

  private async readNext(client: pg.Client) {
    const asked = this.inTurn();
    this.dirty.clear();
    const limit = { total: this.maxBatch, of: (stream: Stream) => this.limits.of(stream) };
    const read = await readEvents(
      client,
      this.options.log,
      this.positions.of(asked),
      limit,
      this.subscription.handles,
    );
    // A stream that was read up to its limit may have more events; later ones are announced.
    const isFull = read.length >= this.maxBatch || this.limits.areReachedBy(read);
    const batch = this.limits.cut(read);
    // Events that did not fit in the batch are read again.
    const mayHaveMore = isFull || batch.length < read.length;
    if (mayHaveMore) for (const stream of asked) this.dirty.add(stream);
    return { batch, mayHaveMore };
  }

  /** Another stream comes first each time, so that a busy one cannot keep the others waiting. */
  private inTurn(): Stream[] {
    const streams = this.subscription.streams.filter((stream) => this.dirty.has(stream));
    const first = streams.length === 0 ? 0 : this.turn % streams.length;
    return [...streams.slice(first), ...streams.slice(0, first)];
  }
}
