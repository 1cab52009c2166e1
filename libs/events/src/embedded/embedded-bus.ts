import type { EventEnvelope, Stream } from '@postmesh/contracts';
import pg from 'pg';
import {
  silentLogger,
  type BusLogger,
  type EventBus,
  type EventLog,
  type GroupLag,
  type RunningSubscription,
  type RunStatement,
  type Subscription,
} from '../event-bus.port.js';
import { toEventText } from '../event-text.js';
import { Announcements } from './announcements.js';
import { BusClient, connectionOf } from '../log/connections.js';
import { appendEvents } from '../log/event-log.js';
import { GroupReader, READER_SETTINGS } from '../log/group-reader.js';
import { groupLag, trimBus } from './housekeeping.js';
import { prepareBusSchema } from './schema.js';

export interface EmbeddedBusOptions {
  /** Address of a PostgreSQL database; its role may create the schema `bus`. A direct connection: LISTEN passes no pooler. */
  url: string;
  logger?: BusLogger;
  /** Shown in `pg_stat_activity`; default `postmesh-bus`. */
  name?: string;
  /** Most connections, without those that listen and read (one per group); default 4. */
  connections?: number;
  /** A process that lives but was silent for so long loses its turn to read; default 10,000 ms. */
  leaseMs?: number;
  /** How long events stay after every group has handled them; default one hour. */
  keepMs?: number;
}

const TRIM_MS = 60_000;
// The session of one trim serves the next.
const KEEP_SESSION_MS = 2 * TRIM_MS;
const DEFAULT_LEASE_MS = 10_000;
const DEFAULT_KEEP_MS = 3_600_000;

const SCHEMA = 'bus';

/**
 * An event bus in the tables of one PostgreSQL database, for any number of processes.
 * @throws when the database cannot be reached or its role may not create the schema `bus`
 */
export async function createEmbeddedBus(options: EmbeddedBusOptions): Promise<EventBus & { log: EventLog }> {
  const logger = options.logger ?? silentLogger;
  const connection = connectionOf(options.url, options.name ?? 'postmesh-bus');
  const pool = new pg.Pool({
    ...connection,
    max: options.connections ?? 4,
    idleTimeoutMillis: KEEP_SESSION_MS,
    Client: BusClient,
  } as pg.PoolConfig);
  pool.on('error', (error) =>
    logger.warn({ event: 'bus.connection_lost', err: error }, 'event bus: idle connection lost'),
  );
  let bus: EmbeddedBus | undefined;
  try {
    bus = new EmbeddedBus(options, pool, await prepareBusSchema(pool));
    await bus.open();
    return bus;
  } catch (error) {
    await (bus ? bus.close() : pool.end());
    throw error;
  }
}

class EmbeddedBus implements EventBus {
  readonly log: EventLog;
  private readonly logger: BusLogger;
  private readonly announcements: Announcements;
  private readonly readers = new Set<GroupReader>();
  private trimTimer: NodeJS.Timeout | undefined;
  private trimming: Promise<void> | undefined;
  private readonly ending = new AbortController();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly options: EmbeddedBusOptions,
    private readonly pool: pg.Pool,
    id: string,
  ) {
    this.logger = options.logger ?? silentLogger;
    this.announcements = new Announcements({
      log: id,
      connection: connectionOf(options.url, options.name ?? 'postmesh-bus'),
      pool,
      logger: this.logger,
      onStreams: (streams) => this.readers.forEach((reader) => reader.streamsHaveEvents(streams)),
      onConnected: () =>
        this.readers.forEach((reader) => reader.streamsHaveEvents(reader.subscription.streams)),
    });
    this.log = {
      id,
      url: options.url,
      append: (query, events, mayRepeat = false) => appendEvents(query, SCHEMA, events, mayRepeat),
      announce: (streams) => this.announcements.announce([...new Set<Stream>(streams)]),
    };
  }

  async open(): Promise<void> {
    await this.announcements.start();
    this.trimTimer = setInterval(() => {
      this.trimming ??= this.trim().finally(() => (this.trimming = undefined));
    }, TRIM_MS).unref();
  }

  async publish(events: readonly EventEnvelope[]): Promise<void> {
    if (events.length === 0) return;
    // Everything is encoded before anything is written: one event that is too large publishes none.
    const texts = events.map((event) => ({ stream: event.stream, text: toEventText(event) }));
    const query: RunStatement = (text, values) => this.pool.query({ name: 'bus-append', text, values });
    await appendEvents(query, SCHEMA, texts, true);
    this.log.announce(texts.map(({ stream }) => stream));
  }

  async subscribe(subscription: Subscription): Promise<RunningSubscription> {
    if (this.closing) throw new Error('the event bus is closed');
    const { url, name, leaseMs = DEFAULT_LEASE_MS } = this.options;
    const reader = new GroupReader(subscription, {
      connection: connectionOf(url, `${name ?? 'postmesh-bus'}-${subscription.group}`, READER_SETTINGS),
      log: { id: this.log.id, schema: SCHEMA },
      leaseMs,
      logger: this.logger,
    });
    this.readers.add(reader);
    await reader.start();
    return {
      ready: () => reader.ready(),
      holds: () => reader.holds(),
      stop: async () => {
        await reader.stop();
        this.readers.delete(reader);
      },
    };
  }

  lag(): Promise<GroupLag[]> {
    return groupLag(this.pool);
  }

  ready(): boolean {
    const areReading = [...this.readers].every((reader) => reader.ready());
    return !this.closing && this.announcements.connected() && areReading;
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    clearInterval(this.trimTimer);
    this.ending.abort();
    await Promise.all([...this.readers].map((reader) => reader.stop()));
    await this.announcements.close();
    await this.trimming;
    await this.pool.end();
  }

  private async trim(): Promise<void> {
    if (this.closing) return;
    try {
      const deleted = await trimBus(this.pool, {
        keepMs: this.options.keepMs ?? DEFAULT_KEEP_MS,
        signal: this.ending.signal,
      });
      if (deleted > 0) this.logger.debug({ event: 'log.trimmed', deleted }, 'event bus: log trimmed');
    } catch (error) {
      if (!this.closing) this.logger.warn({ event: 'log.trim_failed', err: error }, 'event bus: trim failed');
    }
  }
}
