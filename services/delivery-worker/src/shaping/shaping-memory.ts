import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { providerOfGroup, RELAY_GROUP } from '../mx/group-key.rules.js';
import { GroupShaping } from './group-shaping.js';
import type { ProviderLimits, WindowUse } from './learning.rules.js';
import { DEFAULT_PROVIDER, type Providers } from './providers.table.js';
import { SHAPING_PROVIDERS } from './read-providers.js';
import { ShapingClock } from './shaping-clock.js';
import {
  MAX_GROUPS,
  type GroupUse,
  type ShapingKey,
  type SharedUses,
  type StoredState,
} from './shaping-rows.js';
import { shareOf } from './worker-share.rules.js';

// A relay is the operator's own. Postfix allows 50 connections of an address by default.
const RELAY_START = 40;
const RELAY_CAP = 500;
const MAX_USES = 1_000;
const MAX_BOUNDED = 2_000;

/** The state of groups and of the other workers in this worker, and its share of the common limits. */
@Injectable()
export class ShapingMemory {
  /** id of this worker among those that share limits */
  readonly worker = randomUUID();
  private readonly groups = new LRUCache<string, GroupShaping>({ max: MAX_GROUPS });
  /** groups whose limits differ from those of an unused group */
  private bounded = new Set<string>();
  private workers: readonly string[] = [this.worker];
  /** incremented when shares have to be computed again */
  private generation = 0;

  constructor(
    @Inject(SHAPING_PROVIDERS) private readonly providers: Providers,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly clock: ShapingClock,
  ) {}

  get workersAlive(): number {
    return this.workers.length;
  }

  providerOf(groupKey: string): ProviderLimits {
    if (groupKey === RELAY_GROUP) {
      return { id: RELAY_GROUP, connections: { start: RELAY_START, cap: RELAY_CAP }, perConnection: 500 };
    }
    const known = this.providers.get(providerOfGroup(groupKey) ?? DEFAULT_PROVIDER);
    const provider = known ?? this.providers.get(DEFAULT_PROVIDER);
    if (provider === undefined) throw new Error(`the provider table has no row '${DEFAULT_PROVIDER}'`);
    return provider;
  }

  find(groupKey: string, source: string): GroupShaping | undefined {
    return this.groups.get(keyOf(groupKey, source));
  }

  of(groupKey: string, source: string): GroupShaping {
    const known = this.find(groupKey, source);
    if (known !== undefined) return known;
    const group = new GroupShaping({ groupKey, source }, this.providerOf(groupKey), this.clock.now());
    this.groups.set(keyOf(groupKey, source), group);
    return group;
  }

  all(): GroupShaping[] {
    return [...this.groups.values()];
  }

  /** Groups that need a limit of their own in a claim. */
  get boundedGroups(): ReadonlySet<string> {
    return this.bounded;
  }

  /** Connections of all workers together. */
  allowedOf(groupKey: string, source: string): number {
    const group = this.find(groupKey, source);
    return group?.allowed(this.clock.now()) ?? this.providerOf(groupKey).connections.start;
  }

  /** This worker's share of the connections. */
  connectionsOf(groupKey: string, source: string): number {
    const group = this.find(groupKey, source);
    return group === undefined ? this.startOf(groupKey) : this.shareOf(group);
  }

  /** For an unknown group: at least one for each worker, as its real limit is a guess. */
  startOf(groupKey: string): number {
    const { start } = this.providerOf(groupKey).connections;
    return this.atMost(Math.max(1, Math.floor(start / this.workers.length)));
  }

  /** messages a second of this worker; null = limited only by its connections */
  rateOf(group: GroupShaping): number | null {
    const now = this.clock.now();
    const { rate } = group.state(now);
    if (rate === null) return null;
    const total = group.allowed(now);
    return total === 0 ? 0 : (rate * this.partOf(group)) / total;
  }

  /** Whether this worker has written or read this version. */
  knows({ groupKey, source }: ShapingKey, version: number): boolean {
    return (this.groups.peek(keyOf(groupKey, source))?.stored?.version ?? 0) >= version;
  }

  /** @returns whether it is new */
  adopt(stored: StoredState): boolean {
    const group = this.of(stored.groupKey, stored.source);
    if (group.isBeingSaved || (group.stored?.version ?? 0) >= stored.version) return false;
    group.stored = stored;
    group.set(stored.state);
    return true;
  }

  /** The use of this worker, the most used first. */
  uses(): GroupUse[] {
    const now = this.clock.now();
    const used = this.all().filter((group) => group.isInUse(now));
    return used
      .sort((one, other) => other.connections - one.connections)
      .slice(0, MAX_USES)
      .map((group) => group.use(now));
  }

  /**
   * Takes over the other workers and their use of the same groups.
   * @returns whether a worker came or went: shares have changed then
   */
  update({ workers, others }: Pick<SharedUses, 'workers' | 'others'>): boolean {
    const before = this.workers.join();
    this.workers = [...workers].sort();
    const isNews = this.workers.join() !== before;
    if (isNews) this.generation++;
    const sums = new Map<string, WindowUse>();
    for (const use of others) {
      const key = keyOf(use.groupKey, use.source);
      const version = this.groups.peek(key)?.stored?.version ?? 0;
      const before = sums.get(key) ?? NOTHING;
      sums.set(key, {
        // counts under another state say nothing about this window
        results: before.results + (use.version === version ? use.results : 0),
        peak: before.peak + use.peak,
        rate: before.rate + use.rate,
      });
    }
    for (const [key, group] of this.groups.entries()) group.others = sums.get(key) ?? NOTHING;
    this.boundUsed();
    return isNews;
  }

  bound(groupKey: string): void {
    this.bounded.add(groupKey);
  }

  /** Suspended ones first: the excess of a group would be claimed only to be given back. */
  boundUsed(): void {
    const now = this.clock.now();
    const groups = this.all();
    const suspended = groups.filter((group) => group.state(now).suspendedUntil !== null);
    const used = groups.filter((group) => group.isInUse(now));
    const keys = [...suspended, ...used].map(({ key }) => key.groupKey);
    this.bounded = new Set([...new Set(keys)].slice(0, MAX_BOUNDED));
  }

  /** A setting that allows fewer connections takes nothing off the pace. */
  private shareOf(group: GroupShaping): number {
    return this.atMost(this.partOf(group));
  }

  private partOf(group: GroupShaping): number {
    const now = this.clock.now();
    const total = group.allowed(now);
    const { groupKey, source } = group.key;
    const share = group.share(total, this.generation, () =>
      shareOf(total, keyOf(groupKey, source), this.worker, this.workers),
    );
    return group.isLearnt || total === 0 ? share : Math.max(1, share);
  }

  private atMost(connections: number): number {
    return Math.min(connections, this.settings.deliveryPerDestination);
  }
}

const NOTHING: WindowUse = { results: 0, peak: 0, rate: 0 };

const keyOf = (groupKey: string, source: string): string => `${groupKey}\n${source}`;
