import type pg from 'pg';
import { backoffMs, endsWithin, pause, Signal } from '@postmesh/concurrency';
import { KEEP_ALIVE, SERVER_KEEPALIVE, timedClient } from '@postmesh/database';
import type { DataSource } from 'typeorm';
import type { EventEnvelope } from '@postmesh/contracts';
import type { Logger, Metrics } from '@postmesh/observability';
import { KEEP } from './kept-events.js';
import type { OutboxSink } from './outbox.js';
import type { EventBus } from './event-bus.port.js';

const BATCH = 500;
const SWEEP_MS = 1_000;
// After a small batch the next one is given this long to grow: a publish costs two commits, whatever its size.
const GATHER_MS = 8;
const SMALL_BATCH = 100;
// The first key says "relay of a service", the second is the schema's hash.
const RELAY_LOCK = 727_002;
/**
 * Leadership has a heartbeat, as a machine or its network can vanish silently. The leader and each waiting relay
 * query the server several times within this time, also while publishing. The server ends a session that is silent
 * for this long, and so frees the lock; a relay whose server does not answer for half as long again connects anew.
 */
const SILENCE_MS = 10_000;
const CONNECT_MS = 5_000;
const END_MS = 1_000;

const RECONNECT = { firstMs: 200, maxMs: 5_000 };

// JSON has no raw line breaks, so lines carry the envelopes: an array would escape each of their many quotes.
const INSERT = `insert into outbox (stream, key, envelope)
  select * from rows from (unnest($1::text[]), unnest($2::text[]), string_to_table($3, E'\\n'))`;

export interface RelayOptions {
  url: string;
  schema: string;
  bus: EventBus;
  dataSource: DataSource;
  logger: Logger;
  metrics: Metrics;
  /** default 10 s */
  silenceMs?: number;
}

interface OutboxRow {
  id: string;
  envelope: string;
}

/**
 * Publishes the outbox of one service. One relay per service is active (session lock of Postgres; the
 * others wait for it), it goes in order of id, and it deletes a row only after the bus has it: a crash in
 * between publishes twice, which the inbox absorbs. Where the bus can lose a stream, the event is kept until it is handled
 * (kept-events.ts). Woken by commits of this process, by NOTIFY from
 * others, and by a sweep every second.
 */
export class OutboxRelay {
  private client: pg.Client | undefined;
  private readonly stopping = new AbortController();
  private readonly wakeUp = new Signal();
  private leads = false;
  private notifyTimer: NodeJS.Timeout | undefined;
  private loop: Promise<void> = Promise.resolve();
  private failures = 0;

  private readonly published;
  private readonly lag;

  constructor(private readonly options: RelayOptions) {
    this.published = options.metrics.counter(
      'postmesh_outbox_published_total',
      'Events published by the relay',
      ['service'],
    );
    this.lag = options.metrics.gauge(
      'postmesh_outbox_batch_age_seconds',
      'Age of the oldest event of the last batch',
      ['service'],
    );
  }

  start(): void {
    this.loop = this.run();
  }

  /** For `attachOutbox`: events go into the table, a commit wakes the active relay. */
  sink(): OutboxSink {
    return {
      write: async (query, events) => {
        const texts = events.map(({ text }) => text).join('\n');
        await query(INSERT, [events.map(({ stream }) => stream), events.map(({ key }) => key), texts]);
      },
      committed: () => this.committed(),
    };
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.notifyTimer);
    await this.loop;
  }

  /** Notifies the active relay, here or in another process, of new rows. */
  private committed(): void {
    if (this.leads) this.wakeUp.raise();
    else this.notifyTimer ??= setTimeout(() => this.notifyOthers(), 10);
  }

  private notifyOthers(): void {
    this.notifyTimer = undefined;
    if (this.stopped) return;
    this.options.dataSource
      .query(`select pg_notify($1, '')`, [this.channel])
      .catch((error: unknown) =>
        this.options.logger.warn({ event: 'outbox.notify_failed', err: error }, 'outbox notify failed'),
      );
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.connect();
        await this.lead();
      } catch (error) {
        this.failures += 1;
        const about = { event: 'outbox.publish_failed', err: error, schema: this.options.schema };
        if (!this.stopped) this.options.logger.error(about, 'relay interrupted');
      }
      await this.disconnect();
      await pause(backoffMs(this.failures, RECONNECT), this.stopping.signal);
    }
  }

  private async connect(): Promise<void> {
    const { url, schema, silenceMs = SILENCE_MS } = this.options;
    const answerMs = silenceMs * 1.5;
    const RelayClient = timedClient(answerMs);
    const client = new RelayClient({
      connectionString: url,
      application_name: `postmesh-${schema}-relay`,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: answerMs * 0.9,
      options: `-c search_path=${schema} -c idle_session_timeout=${silenceMs} ${SERVER_KEEPALIVE}`,
      ...KEEP_ALIVE,
    });
    client.on('notification', () => this.wakeUp.raise());
    client.on('error', () => this.wakeUp.raise());
    await client.connect();
    this.client = client;
    await client.query(`listen ${this.channel}`);
  }

  private async disconnect(): Promise<void> {
    this.leads = false;
    const client = this.client;
    this.client = undefined;
    if (client) await endsWithin(client.end(), END_MS);
  }

  private async lead(): Promise<void> {
    while (!this.stopped && !(await this.tryLock())) await pause(SWEEP_MS, this.stopping.signal);
    this.leads = !this.stopped;
    while (!this.stopped) {
      this.wakeUp.lower();
      const sent = await this.publishBatch();
      if (sent > 0 && sent < SMALL_BATCH) await pause(GATHER_MS, this.stopping.signal);
      if (sent < BATCH) await this.wakeUp.wait(SWEEP_MS, this.stopping.signal);
    }
  }

  private async tryLock(): Promise<boolean> {
    const result = await this.required().query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as locked',
      [RELAY_LOCK, this.options.schema],
    );
    return result.rows[0]?.locked ?? false;
  }

  private async publishBatch(): Promise<number> {
    const client = this.required();
    const { rows } = await client.query<OutboxRow>(
      `select id, envelope from outbox order by id limit ${BATCH}`,
    );
    if (rows.length === 0) return 0;
    // written by outbox.add from a checked event, so it is not proven again
    const events = rows.map((row) => JSON.parse(row.envelope) as EventEnvelope);
    try {
      await this.alive(client, this.options.bus.publish(events));
    } catch (error) {
      await this.recordFailure(rows, error);
      throw error;
    }
    await this.forget(client, rows);
    this.failures = 0;
    this.measure(events);
    return rows.length;
  }

  private async forget(client: pg.Client, rows: OutboxRow[]): Promise<void> {
    const ids = rows.map((row) => row.id);
    if (this.options.bus.marks) await client.query(KEEP, [ids, new Date()]);
    else await client.query('delete from outbox where id = any($1::bigint[])', [ids]);
  }

  /** A waiting relay queries rows every second; while the bus takes its time, it has no other query to make. */
  private async alive(client: pg.Client, work: Promise<void>): Promise<void> {
    const { silenceMs = SILENCE_MS } = this.options;
    const beat = setInterval(() => void client.query('select 1').catch(() => undefined), silenceMs / 5);
    await work.finally(() => clearInterval(beat));
  }

  private async recordFailure(rows: OutboxRow[], error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    await this.required().query('update outbox set attempts = attempts + 1, last_error = $2 where id = $1', [
      rows[0]?.id,
      reason.slice(0, 500),
    ]);
  }

  private measure(events: readonly EventEnvelope[]): void {
    const service = this.options.schema;
    this.published.inc({ service }, events.length);
    const oldest = events[0];
    if (oldest) this.lag.set({ service }, (Date.now() - Date.parse(oldest.occurred_at)) / 1000);
  }

  private required(): pg.Client {
    if (!this.client) throw new Error('relay is not connected');
    return this.client;
  }

  private get channel(): string {
    return `outbox_${this.options.schema}`;
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }
}
