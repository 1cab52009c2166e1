import type { Logger } from '@postmesh/observability';
import { KeptSession } from './kept-session.js';

// Hours may pass without a notification, so the connection is checked at this interval.
const SILENCE_MS = 15_000;

export interface NotificationsOptions {
  url: string;
  /** `pg_notify(<channel>, …)`; in one database the name belongs to one service */
  channel: string;
  /** how the connection is named in pg_stat_activity */
  applicationName: string;
  logger: Logger;
  /** Called with each notification, of another process or of this one. */
  onNotification: (payload: string) => void;
  /** The connection is new: what was notified before it is not known. */
  onConnected: () => void;
  /** interval of the check, and the limit for its answer; default 5 s */
  silenceMs?: number;
}

/**
 * Listens to what processes of a service tell each other through their database (NOTIFY). It reconnects for ever;
 * what is notified while it does is lost, so that nothing may rely on it alone.
 */
export class Notifications {
  private readonly session: KeptSession<void>;
  private readonly heartbeat: NodeJS.Timeout;

  constructor(options: NotificationsOptions) {
    const { url, applicationName, channel, logger, silenceMs = SILENCE_MS } = options;
    this.session = new KeptSession({
      ...{ url, applicationName, silenceMs },
      begin: async (client) => {
        client.on('notification', ({ payload }) => options.onNotification(payload ?? ''));
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
      },
      onBegun: () => options.onConnected(),
      onLost: (error) =>
        logger.warn(
          { event: 'notifications.lost', channel, err: error },
          'listening connection lost, reconnecting',
        ),
    });
    // a failure ends the connection, and the session reports the loss
    const ask = () => void this.session.client?.query('select 1').catch(() => undefined);
    this.heartbeat = setInterval(ask, silenceMs);
    this.heartbeat.unref();
  }

  /** Resolves when the first try has succeeded or failed. */
  start(): Promise<void> {
    return this.session.open();
  }

  async stop(): Promise<void> {
    clearInterval(this.heartbeat);
    await this.session.stop();
  }
}
