import pg from 'pg';
import type { BusLogger } from '../bus-logger.js';
import { Signal } from '../signal.js';

/** The listening connection, by which peers see that this process lives. */
export interface Backend {
  pid: number;
  /** as Postgres prints it: with its microseconds, which a JavaScript date has not */
  start: string;
}

export interface WakeupListener {
  onStream(stream: string): void;
  onGroup(group: string): void;
  /** The connection is new: what was notified before it is not known. */
  onConnected(): void;
}

const RECONNECT_MS = 500;

/** One connection that listens on the channel `bus`, and comes back when it is lost. A hint only: sweeps do not need it. */
export class Wakeups {
  private client: pg.Client | undefined;
  private current: Backend | undefined;
  private readonly again = new Signal();
  private closing = false;
  private running: Promise<void> = Promise.resolve();
  private tried: () => void = () => undefined;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly listener: WakeupListener,
    private readonly logger: BusLogger,
  ) {}

  /** Resolves when the first try to connect has succeeded or failed. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.tried = resolve;
      this.running = this.run();
    });
  }

  backend(): Backend | undefined {
    return this.current;
  }

  async close(): Promise<void> {
    this.closing = true;
    this.again.raise();
    await this.client?.end().catch(() => undefined);
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.closing) {
      try {
        await this.listen();
      } catch (error) {
        if (!this.closing)
          this.logger.warn({ err: error }, 'event bus: listening connection lost; sweeping until it is back');
      }
      this.tried();
      this.current = undefined;
      await this.client?.end().catch(() => undefined);
      if (!this.closing) await this.again.wait(RECONNECT_MS);
    }
  }

  /** Listens until the connection ends. */
  private async listen(): Promise<void> {
    const client = new pg.Client(this.config);
    this.client = client;
    const ended = new Promise<void>((resolve, reject) => {
      client.on('error', reject);
      client.once('end', resolve);
    });
    // Nobody awaits it when connecting fails first.
    ended.catch(() => undefined);
    client.on('notification', ({ payload }) => this.dispatch(payload ?? ''));
    await client.connect();
    const { rows } = await client.query<Backend>(
      'select pid, backend_start::text as start from pg_stat_activity where pid = pg_backend_pid()',
    );
    await client.query('listen bus');
    this.current = rows[0];
    this.tried();
    this.listener.onConnected();
    await ended;
  }

  private dispatch(payload: string): void {
    const [kind, name = ''] = payload.split(':', 2);
    if (kind === 'stream') this.listener.onStream(name);
    else if (kind === 'group') this.listener.onGroup(name);
  }
}
