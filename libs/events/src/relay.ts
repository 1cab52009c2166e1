import { timedClient } from '@postmesh/database';
import type { DataSource } from 'typeorm';
import { STREAMS, type Stream } from '@postmesh/contracts';
import type { Logger, Metrics } from '@postmesh/observability';
import type { EventBus, ReceivedEvent } from './event-bus.port.js';
import { readOwnEvents } from './event-text.js';
import { connectionOf } from './log/connections.js';
import { appendEvents, type LogTables } from './log/event-log.js';
import { GroupReader, READER_SETTINGS } from './log/group-reader.js';
import type { OutboxSink } from './outbox.js';

/**
 * A machine or its network can vanish silently: a relay whose session is silent for this long loses its turn, and one
 * whose server does not answer for half as long again connects anew. One that publishes shows each second that it lives.
 */
const LEASE_MS = 10_000;
const NOTIFY_MS = 10;

export interface RelayOptions {
  url: string;
  schema: string;
  bus: Pick<EventBus, 'publish'>;
  dataSource: DataSource;
  logger: Logger;
  metrics: Metrics;
  /** default 10 s */
  leaseMs?: number;
}

/** The log in the schema of a service. Positions in it are in the same schema, so it needs no id of its own. */
export const ownLog = (schema: string): LogTables => ({ id: schema, schema });

/** Its reader. */
export const relayOf = (schema: string): string => `${schema}.relay`;

/**
 * Publishes the log of one service to a bus elsewhere: a reader of it like any other (group-reader.ts). One relay per
 * service is active, and its position is written when the bus has the events: a crash in between publishes twice, which
 * the inbox absorbs. Woken by commits of this process, by NOTIFY from others, and by a sweep every second.
 */
export class OutboxRelay {
  private readonly reader: GroupReader;
  private readonly toNotify = new Set<Stream>();
  private notifyTimer: NodeJS.Timeout | undefined;

  private readonly published;
  private readonly lag;

  constructor(private readonly options: RelayOptions) {
    const { url, schema, logger, metrics, leaseMs = LEASE_MS } = options;
    this.published = metrics.counter('postmesh_outbox_published_total', 'Events published by the relay', [
      'service',
    ]);
    this.lag = metrics.gauge(
      'postmesh_outbox_batch_age_seconds',
      'Age of the oldest event of the last batch',
      ['service'],
    );
    const answerMs = leaseMs * 1.5;
    const connection = connectionOf(url, `postmesh-${schema}-relay`, READER_SETTINGS);
    this.reader = new GroupReader(
      { group: relayOf(schema), streams: STREAMS, handle: (events) => this.publish(events) },
      {
        connection: { ...connection, statement_timeout: answerMs * 0.9 },
        Client: timedClient(answerMs),
        log: ownLog(schema),
        channel: this.channel,
        leaseMs,
        logger,
      },
    );
  }

  start(): void {
    void this.reader.start();
  }

  /** For `attachOutbox`: events go into the log, a commit wakes the active relay. */
  sink(): OutboxSink {
    return {
      write: (query, events) => appendEvents(query, this.options.schema, events, false),
      committed: (streams) => this.committed(streams),
    };
  }

  async stop(): Promise<void> {
    clearTimeout(this.notifyTimer);
    await this.reader.stop();
  }

  /** Notifies the active relay, here or in another process, of new events. */
  private committed(streams: ReadonlySet<Stream>): void {
    if (this.reader.holds().length > 0) return this.reader.streamsHaveEvents(streams);
    for (const stream of streams) this.toNotify.add(stream);
    if (this.reader.ready()) this.notifyTimer ??= setTimeout(() => this.notifyOthers(), NOTIFY_MS);
  }

  private notifyOthers(): void {
    this.notifyTimer = undefined;
    const streams = [...this.toNotify].join();
    this.toNotify.clear();
    this.options.dataSource
      .query('select pg_notify($1, $2)', [this.channel, streams])
      .catch((error: unknown) =>
        this.options.logger.warn({ event: 'outbox.notify_failed', err: error }, 'outbox notify failed'),
      );
  }

  private async publish(received: readonly ReceivedEvent[]): Promise<void> {
    const events = readOwnEvents(received);
    await this.options.bus.publish(events);
    const service = this.options.schema;
    this.published.inc({ service }, events.length);
    const oldest = events.reduce(
      (first, { occurred_at: at }) => (at < first ? at : first),
      events[0]?.occurred_at ?? '',
    );
    this.lag.set({ service }, (Date.now() - Date.parse(oldest)) / 1000);
  }

  private get channel(): string {
    return `log_${this.options.schema}`;
  }
}
