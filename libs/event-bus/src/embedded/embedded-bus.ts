import pg from 'pg';
import type { EventEnvelope } from '@postmesh/contracts';
import { silentLogger, type BusLogger } from '../bus-logger.js';
import type { EventBus, GroupLag, RunningSubscription, Subscription } from '../event-bus.port.js';
import type { EmbeddedBusOptions } from './embedded-bus.options.js';
import { EmbeddedConsumer } from './embedded-consumer.js';
import { appendEvents } from './event-log.js';
import { groupLag } from './group-lag.js';
import { trimLog } from './housekeeping.js';
import { beat } from './liveness.js';
import { Membership } from './membership.js';
import { prepareBusSchema } from './schema/prepare.js';
import { Wakeups } from './wakeups.js';

const BEAT_MS = 1_000;
const TRIM_MS = 30_000;
const DEFAULT_LEASE_MS = 10_000;
const DEFAULT_KEEP_MS = 3_600_000;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;

/**
 * An event bus in the tables of one PostgreSQL database, for any number of processes.
 * @throws when the database cannot be reached or its role may not create the schema `bus`
 */
export async function createEmbeddedBus(options: EmbeddedBusOptions): Promise<EventBus> {
  const bus = new EmbeddedBus(options);
  try {
    await bus.open();
  } catch (error) {
    await bus.close();
    throw error;
  }
  return bus;
}

class EmbeddedBus implements EventBus {
  private readonly logger: BusLogger;
  private readonly leaseMs: number;
  private readonly writing: pg.Pool;
  private readonly reading: pg.Pool;
  private readonly wakeups: Wakeups;
  private readonly consumers = new Set<EmbeddedConsumer>();
  private readonly timers: NodeJS.Timeout[] = [];
  private closing: Promise<void> | undefined;
  private reachable = true;

  constructor(private readonly options: EmbeddedBusOptions) {
    this.logger = options.logger ?? silentLogger;
    this.leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
    const connection = connectionOf(options);
    const max = options.connections ?? 4;
    this.writing = new pg.Pool({ ...connection, max });
    // Cursors may lag behind a crash of the server: events come again, as they may. And a queue's table is always
    // empty or full of what was just written, which misleads the planner: only the index is ever right.
    const settings = '-c synchronous_commit=off -c enable_seqscan=off -c enable_bitmapscan=off';
    this.reading = new pg.Pool({ ...connection, max, options: settings });
    for (const pool of [this.writing, this.reading]) pool.on('error', (error) => this.connectionLost(error));
    this.wakeups = new Wakeups(
      { ...connection, statement_timeout: 0, query_timeout: 0 },
      {
        onStream: (stream) => this.consumers.forEach((consumer) => consumer.streamHasEvents(stream)),
        onGroup: (group) => this.groupChanged(group),
        onConnected: () => this.consumers.forEach((consumer) => consumer.groupHasChanged()),
      },
      this.logger,
    );
  }

  async open(): Promise<void> {
    await prepareBusSchema(this.writing);
    await this.wakeups.start();
    this.every(BEAT_MS, 'heartbeat', () => this.beat());
    this.every(TRIM_MS, 'trim', () => this.trim());
  }

  publish(events: readonly EventEnvelope[]): Promise<void> {
    return appendEvents(this.writing, events);
  }

  async subscribe(subscription: Subscription): Promise<RunningSubscription> {
    if (this.closing) throw new Error('the event bus is closed');
    const { group, streams } = subscription;
    const membership = new Membership({ group, streams, leaseMs: this.leaseMs }, this.writing, () =>
      this.wakeups.backend(),
    );
    const consumer = new EmbeddedConsumer(subscription, membership, this.reading, this.logger);
    this.consumers.add(consumer);
    await consumer.start();
    return {
      ready: () => consumer.ready(),
      holds: () => consumer.holds(),
      stop: async () => {
        await consumer.stop();
        this.consumers.delete(consumer);
      },
    };
  }

  lag(): Promise<GroupLag[]> {
    return groupLag(this.reading);
  }

  ready(): boolean {
    return !this.closing && this.reachable && [...this.consumers].every((consumer) => consumer.ready());
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    this.timers.forEach(clearInterval);
    const left = await Promise.allSettled([...this.consumers].map((consumer) => consumer.stop()));
    for (const outcome of left) {
      if (outcome.status === 'rejected')
        this.logger.warn({ err: outcome.reason }, 'event bus: could not leave a group');
    }
    await this.wakeups.close();
    await Promise.all([this.writing.end(), this.reading.end()]);
  }

  /** Runs the work at an interval, never twice at a time. */
  private every(ms: number, name: string, work: () => Promise<void>): void {
    let running = false;
    const tick = async (): Promise<void> => {
      if (running || this.closing) return;
      running = true;
      try {
        await work();
      } catch (error) {
        if (!this.closing) this.logger.warn({ err: error, work: name }, 'event bus: will try again');
      }
      running = false;
    };
    this.timers.push(setInterval(() => void tick(), ms).unref());
  }

  private async beat(): Promise<void> {
    const members = new Map([...this.consumers].map((consumer) => [consumer.member, consumer.group]));
    try {
      const changed = await beat(this.reading, members, {
        leaseMs: this.leaseMs,
        backend: this.wakeups.backend(),
      });
      this.reachable = true;
      for (const group of changed) this.groupChanged(group);
    } catch (error) {
      this.reachable = false;
      throw error;
    }
  }

  private async trim(): Promise<void> {
    const deleted = await trimLog(this.reading, this.options.keepMs ?? DEFAULT_KEEP_MS, this.leaseMs);
    if (deleted > 0) this.logger.debug({ deleted }, 'event bus: trimmed the log');
  }

  private groupChanged(group: string): void {
    for (const consumer of this.consumers) if (consumer.group === group) consumer.groupHasChanged();
  }

  private connectionLost(error: Error): void {
    this.logger.warn({ err: error }, 'event bus: an idle connection was lost');
  }
}

function connectionOf({ url, name }: EmbeddedBusOptions): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: name ?? 'postmesh-bus',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    // The server ends a slow statement first; this is for a server that vanished.
    query_timeout: STATEMENT_MS + 5_000,
  };
}
