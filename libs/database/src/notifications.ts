import pg from 'pg';
import type { Logger } from '@postmesh/observability';

const RECONNECT_MS = 500;

export interface NotificationsOptions {
  url: string;
  /** `pg_notify(<channel>, …)`; in one database the name belongs to one service */
  channel: string;
  /** how the connection is named in pg_stat_activity */
  applicationName: string;
  logger: Logger;
  /** What another process, or this one, has notified. */
  onNotification: (payload: string) => void;
  /** The connection is new: what was notified before it is not known. */
  onConnected: () => void;
}

/**
 * Listens to what processes of a service tell each other through their database (NOTIFY). It reconnects for ever;
 * what is notified while it does is lost, so that nothing may rely on it alone.
 */
export class Notifications {
  private client: pg.Client | undefined;
  private reconnect: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly options: NotificationsOptions) {}

  /** Resolves when the first try has succeeded or failed. */
  start(): Promise<void> {
    return this.listen();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.reconnect);
    await this.client?.end().catch(() => undefined);
  }

  private async listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.url,
      application_name: this.options.applicationName,
      keepAlive: true,
    });
    this.client = client;
    client.on('notification', ({ payload }) => this.options.onNotification(payload ?? ''));
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client, undefined));
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(this.options.channel)}`);
      this.options.onConnected();
    } catch (error) {
      this.lost(client, error);
    }
  }

  private lost(client: pg.Client, error: unknown): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    const line = { event: 'notifications.lost', channel: this.options.channel, err: error };
    this.options.logger.warn(line, 'listening connection lost, reconnecting');
    void client.end().catch(() => undefined);
    this.reconnect = setTimeout(() => void this.listen(), RECONNECT_MS);
  }
}
