import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from '@postmesh/observability';
import { databaseUrlOf, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { KEY_CHANGES_CHANNEL } from './key-changes.js';
import { WakeUp } from './wake-up.js';

const RECONNECT_MS = 500;

/**
 * Hears of committed key changes, whichever replica made them (NOTIFY). While the connection is lost,
 * gateways learn of changes with their next question instead: later, but never not at all.
 */
@Injectable()
export class KeyChangeFeed implements OnApplicationBootstrap, OnModuleDestroy {
  /** raised after each change */
  readonly changes = new WakeUp();
  private client: pg.Client | undefined;
  private reconnect: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.listen();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.reconnect);
    // questions that are still open are answered now, so that the stop does not wait for them
    this.changes.close();
    await this.client?.end().catch(() => undefined);
  }

  private async listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrlOf(this.settings, 'accounts'),
      application_name: 'postmesh-accounts-key-changes',
      keepAlive: true,
    });
    this.client = client;
    client.on('notification', () => this.changes.raise());
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client, undefined));
    try {
      await client.connect();
      await client.query(`listen ${KEY_CHANGES_CHANNEL}`);
      // something may have changed while nobody listened
      this.changes.raise();
    } catch (error) {
      this.lost(client, error);
    }
  }

  private lost(client: pg.Client, error: unknown): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    this.logger.warn({ err: error }, 'key changes are not heard; connecting again');
    void client.end().catch(() => undefined);
    this.reconnect = setTimeout(() => void this.listen(), RECONNECT_MS);
  }
}
