import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { FactoryProvider, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { DebouncedTask } from '@postmesh/concurrency';
import { Notifications } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { databaseUrlOf, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { viaOf, type EgressSource } from '../egress/egress-source.rules.js';
import { orderOf, settingsRelayId, tlsOf, WAYS_CHANNEL, WaysRows, rowsOfSettings } from './ways-rows.js';
import { WayHealth } from './way-health.js';
import {
  areOnlyRelays,
  poolOf,
  waysOfWorker,
  type PoolFacts,
  type PoolInUse,
  type PoolRule,
  type WayData,
} from './ways.rules.js';

// A lost notification costs this much.
const EVERY_MS = 60_000;
// The rows were read a moment before the first connection, and the start of a worker has other work to do.
const AFTER_CONNECT_MS = 2_000;

/** The ways out of this worker, as the tables have them now; a change counts for the next attempt. */
export class Ways implements OnApplicationBootstrap, OnModuleDestroy {
  pools: readonly PoolInUse[] = [];
  rules: readonly PoolRule[] = [];
  /** all sources of this worker, of all pools */
  sources: readonly EgressSource[] = [];
  /** no message needs an MX group */
  areOnlyRelays = false;
  readonly health = new WayHealth();
  private readonly worker = randomUUID();
  private readonly listeners = new Set<() => void>();
  private readonly refreshing: DebouncedTask;
  private notifications: Notifications | undefined;

  constructor(
    private readonly rows: Pick<WaysRows, 'load' | 'seen'>,
    private readonly settings: Settings,
    private readonly logger: Logger,
  ) {
    this.refreshing = new DebouncedTask(
      () => this.refresh(),
      (error) =>
        logger.warn({ event: 'ways.not_read', err: error }, 'reading the ways out failed, will retry'),
    );
  }

  static async start(rows: WaysRows, settings: Settings, logger: Logger): Promise<Ways> {
    const ways = new Ways(rows, settings, logger);
    await rows.importSettings(settings);
    await ways.refresh();
    return ways;
  }

  /** Those of settings alone, where no database runs yet. */
  static async ofSettings(settings: Settings, logger: Logger): Promise<Ways> {
    const rows = { load: async () => rowsOfSettings(settings), seen: async () => undefined };
    const ways = new Ways(rows, settings, logger);
    await ways.refresh();
    return ways;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.notifications = new Notifications({
      url: databaseUrlOf(this.settings, 'delivery-worker'),
      channel: WAYS_CHANNEL,
      applicationName: 'postmesh-delivery-worker-ways',
      logger: this.logger,
      onNotification: () => this.refreshing.trigger(),
      onConnected: () => this.refreshing.triggerIn(AFTER_CONNECT_MS),
    });
    await this.notifications.start();
    this.refreshing.every(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.notifications?.stop(), this.refreshing.stop()]);
  }

  poolFor(facts: PoolFacts): PoolInUse | undefined {
    const id = poolOf(this.rules, facts);
    return this.pools.find((pool) => pool.id === id);
  }

  /** The pools with a relay that takes mail of their own sources, too. */
  get relayPools(): readonly PoolInUse[] {
    return this.pools.filter((pool) => pool.relays.length > 0 && pool.order !== 'sources');
  }

  onChanged(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Reads the rows again; a change of this worker counts at once. */
  async refresh(): Promise<void> {
    await this.rows.seen(this.worker, addressesHere());
    this.adopt(this.withOwnSettings(await this.rows.load()));
    for (const listener of this.listeners) listener();
  }

  get ehloName(): string {
    const { ehloName, serviceZone } = this.settings;
    return ehloName ?? `mta.${serviceZone}`;
  }

  private adopt(data: WayData): void {
    const { egressSources, egressRelays } = this.settings;
    const named = new Set([
      ...egressSources.map(({ id }) => id),
      ...egressRelays.map((_, place) => settingsRelayId(place)),
    ]);
    this.pools = waysOfWorker(data, named, this.ehloName);
    this.rules = data.rules;
    this.sources = this.pools.flatMap(({ sources }) => sources);
    this.areOnlyRelays = areOnlyRelays(this.pools, this.rules);
  }

  /** Address and name of a source, and access to a relay, are those of this worker's settings where they name it. */
  private withOwnSettings(data: WayData): WayData {
    const { egressSources, egressSocksLogins, egressRelays } = this.settings;
    const sources = data.sources.map((row) => {
      const own = row.origin === 'settings' ? egressSources.find(({ id }) => id === row.id) : undefined;
      if (own === undefined) return row;
      return { ...row, address: own.address, ehlo: own.ehlo, via: viaOf(own.via, egressSocksLogins) };
    });
    const relays = data.relays.map((row) => {
      const own =
        row.origin === 'settings'
          ? egressRelays.find((_, nth) => settingsRelayId(nth) === row.id)
          : undefined;
      if (own === undefined) return row;
      const { host, port, implicitTls, login } = own;
      return { ...row, host, port, tls: tlsOf(implicitTls, login !== undefined), login };
    });
    const order = orderOf(this.settings);
    const pools = data.pools.map((pool) => (pool.origin === 'settings' ? { ...pool, order } : pool));
    return { ...data, pools, sources, relays };
  }
}

const addressesHere = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));

export const WAYS: FactoryProvider<Ways> = {
  provide: Ways,
  inject: [WaysRows, SETTINGS, LOGGER],
  useFactory: (rows: WaysRows, settings: Settings, logger: Logger) => Ways.start(rows, settings, logger),
};
