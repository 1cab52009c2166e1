import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DebouncedTask, pause } from '@postmesh/concurrency';
import { Notifications } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { databaseUrlOf, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { ShapingChanges } from './shaping-changes.js';
import { ShapingClock } from './shaping-clock.js';
import { ShapingLog } from './shaping-log.js';
import { ShapingMemory } from './shaping-memory.js';
import { SHAPING_CHANNEL, ShapingRows, type ShapingKey } from './shaping-rows.js';

const EVERY_MS = 5_000;
const RETRY_MS = 500;
// Missing limits do not stop deliveries: after this time a worker begins with what it has read.
const MAX_WAIT_MS = 30_000;
const MAX_CHANGED = 1_000;

interface Change extends ShapingKey {
  readonly version: number | undefined;
}

/**
 * Keeps workers in step: every five seconds each reports its use and reads that of the others, closes windows, and so
 * raises limits; changes of others come by NOTIFY, and by the next poll where that was lost.
 */
@Injectable()
export class ShapingSync implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly notifications: Notifications;
  private readonly changed = new Map<string, Change | undefined>();
  private readonly refreshing: DebouncedTask;
  private readonly syncing: DebouncedTask;

  constructor(
    private readonly rows: ShapingRows,
    private readonly memory: ShapingMemory,
    private readonly changes: ShapingChanges,
    private readonly clock: ShapingClock,
    private readonly log: ShapingLog,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    const onError = (error: unknown) => log.unsaved(error);
    this.refreshing = new DebouncedTask(() => this.refresh(), onError);
    this.syncing = new DebouncedTask(() => this.sync(), onError);
    this.notifications = new Notifications({
      url: databaseUrlOf(settings, 'delivery-worker'),
      channel: SHAPING_CHANNEL,
      applicationName: 'postmesh-delivery-worker-shaping',
      logger,
      onNotification: (payload) => this.note(payload),
      onConnected: () => this.note(ALL),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.notifications.start();
    this.syncing.every(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.notifications.stop(), this.refreshing.stop(), this.syncing.stop()]);
    await this.changes.settled();
    await this.rows.leave(this.memory.worker).catch(() => undefined);
  }

  /** Before the first claim: reads the suspensions, and the number of workers that share limits. */
  async learn(stopping: AbortSignal): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    while (!stopping.aborted) {
      try {
        await this.changes.refreshAll();
        await this.sync();
        return;
      } catch (error) {
        if (performance.now() >= until) return this.log.unsaved(error);
      }
      await pause(RETRY_MS, stopping);
    }
  }

  async sync(): Promise<void> {
    const askedAt = performance.now();
    const shared = await this.rows.exchange(this.memory.worker, this.memory.uses());
    if (shared.now !== undefined) this.clock.follow(shared.now, askedAt);
    if (this.memory.update(shared)) this.changes.sharesChanged();
    for (const stored of await this.rows.loadRecent()) this.changes.adopt(stored);
    this.changes.retry();
    this.changes.closeWindows();
  }

  private note(payload: string): void {
    const isAll = payload === ALL || this.changed.size >= MAX_CHANGED;
    const change = isAll ? undefined : readChange(payload);
    if (change?.version !== undefined && this.memory.knows(change, change.version)) return;
    this.changed.set(isAll ? ALL : payload, change);
    this.refreshing.trigger();
  }

  private async refresh(): Promise<void> {
    const all = this.changed.has(ALL);
    const changes = [...this.changed.values()].filter((change) => change !== undefined);
    this.changed.clear();
    if (all) return this.changes.refreshAll();
    const states = changes.filter(({ version }) => version !== undefined);
    const suspended = changes.filter(({ version }) => version === undefined);
    return this.changes.refresh(states, [...new Set(suspended.map(({ groupKey }) => groupKey))]);
  }
}

const ALL = '';

/** `["<group>","<source>",<version>]`, as our own statements notify it; without a version the suspensions changed. */
function readChange(payload: string): Change {
  const [groupKey, source, version] = JSON.parse(payload) as [string, string, number | undefined];
  return { groupKey, source, version };
}
