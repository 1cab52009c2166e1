import type pg from 'pg';
import { KEEP_ALIVE, SERVER_KEEPALIVE, timedClient } from './timed-client.js';

const RECONNECT_MS = 500;
const CONNECT_MS = 5_000;

export interface KeptSessionOptions<T> {
  url: string;
  /** how the connection is named in pg_stat_activity */
  applicationName: string;
  /** a statement without an answer for this long ends the connection, which is then reported as lost */
  silenceMs: number;
  /** The first statements of a new session; when it fails, the next session is tried. */
  begin: (client: pg.Client) => Promise<T>;
  /** The session has begun and is still there. */
  onBegun: (begun: T) => void;
  /** It is gone, or did not begin; another one is tried soon. */
  onLost: (error: unknown) => void;
}

/** A session of the database that is one's own, outside of any pool. It reconnects for ever. */
export class KeptSession<T> {
  /** undefined while there is none */
  client: pg.Client | undefined;
  private reconnect: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly options: KeptSessionOptions<T>) {}

  /** Resolves when the first try has succeeded or failed. */
  async open(): Promise<void> {
    if (this.stopped) return;
    const { url, applicationName, silenceMs, begin, onBegun } = this.options;
    const TimedClient = timedClient(silenceMs);
    const client = new TimedClient({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_MS,
      options: SERVER_KEEPALIVE,
      ...KEEP_ALIVE,
    });
    this.client = client;
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client, undefined));
    try {
      await client.connect();
      const begun = await begin(client);
      if (this.client === client && !this.stopped) onBegun(begun);
    } catch (error) {
      this.lost(client, error);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.reconnect);
    await this.client?.end().catch(() => undefined);
  }

  private lost(client: pg.Client, error: unknown): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    this.options.onLost(error);
    void client.end().catch(() => undefined);
    this.reconnect = setTimeout(() => void this.open(), RECONNECT_MS);
  }
}
