import { BroadcastChannel } from 'node:worker_threads';
import { Signal } from '@postmesh/concurrency';
import { newId } from '@postmesh/contracts';
import pg from 'pg';
import type { BusLogger } from '../event-bus.port.js';

const CHANNEL = 'bus';
const RECONNECT_MS = 500;
// The interval of notifications to other processes: each NOTIFY is a commit that other sessions of the server wait
// for.
const NOTIFY_MS = 50;

export interface AnnouncementsOptions {
  /** id of the log: several logs can be open in one process */
  log: string;
  connection: pg.ClientConfig;
  pool: pg.Pool;
  logger: BusLogger;
  /** these streams have events */
  onStreams(streams: readonly string[]): void;
  /** The listening connection is new: what was notified before it is not known. */
  onConnected(): void;
}

/**
 * Notifies readers that streams have events: those of this bus at once, other threads of the process by a broadcast,
 * other processes by NOTIFY. A hint only: the sweeps of the readers find the events without it.
 */
export class Announcements {
  private readonly sender = newId();
  private readonly threads: BroadcastChannel;
  private readonly toNotify = new Set<string>();
  private notifyTimer: NodeJS.Timeout | undefined;
  private notifiedAt = Number.NEGATIVE_INFINITY;
  private client: pg.Client | undefined;
  private isConnected = false;
  private readonly again = new Signal();
  private closing = false;
  private running: Promise<void> = Promise.resolve();
  private tried: () => void = () => undefined;

  constructor(private readonly options: AnnouncementsOptions) {
    this.threads = new BroadcastChannel(`postmesh-bus-${options.log}`);
    this.threads.onmessage = (message: unknown) =>
      options.onStreams((message as { data: readonly string[] }).data);
    this.threads.unref();
  }

  /** Resolves when the first try to listen has succeeded or failed. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.tried = resolve;
      this.running = this.run();
    });
  }

  /** Whether the database can be reached, as far as the listening connection knows. */
  connected(): boolean {
    return this.isConnected;
  }

  announce(streams: readonly string[]): void {
    if (this.closing) return;
    this.options.onStreams(streams);
    this.threads.postMessage(streams);
    for (const stream of streams) this.toNotify.add(stream);
    const waitMs = Math.max(0, this.notifiedAt + NOTIFY_MS - performance.now());
    this.notifyTimer ??= setTimeout(() => this.notify(), waitMs);
  }

  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.notifyTimer);
    this.threads.close();
    this.again.raise();
    await this.client?.end().catch(() => undefined);
    await this.running;
  }

  private notify(): void {
    this.notifyTimer = undefined;
    this.notifiedAt = performance.now();
    const payload = [this.sender, ...this.toNotify].join();
    this.toNotify.clear();
    this.options.pool
      .query({ name: 'bus-notify', text: `select pg_notify('${CHANNEL}', $1)`, values: [payload] })
      .catch((error: unknown) =>
        this.options.logger.warn({ event: 'bus.notify_failed', err: error }, 'event bus: notify failed'),
      );
  }

  private async run(): Promise<void> {
    while (!this.closing) {
      try {
        await this.listen();
      } catch (error) {
        const about = { event: 'bus.listen_failed', err: error };
        if (!this.closing) this.options.logger.warn(about, 'event bus: listening connection lost');
      }
      this.tried();
      this.isConnected = false;
      await this.client?.end().catch(() => undefined);
      if (!this.closing) await this.again.wait(RECONNECT_MS);
    }
  }

  /** Listens until the connection ends. */
  private async listen(): Promise<void> {
    const client = new pg.Client({ ...this.options.connection, statement_timeout: 0 });
    this.client = client;
    const ended = new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.once('end', resolve);
    });
    // Without this a rejection is unhandled when connecting fails first.
    ended.catch(() => undefined);
    client.on('notification', ({ payload }) => {
      const [sender, ...streams] = (payload ?? '').split(',');
      if (sender !== this.sender) this.options.onStreams(streams);
    });
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    this.isConnected = true;
    this.tried();
    this.options.onConnected();
    await ended;
  }
}
