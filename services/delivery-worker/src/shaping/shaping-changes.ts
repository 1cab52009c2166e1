import { Injectable } from '@nestjs/common';
import type { GroupShaping } from './group-shaping.js';
import { closeWindow, type ShapingState } from './learning.rules.js';
import { NarrowSuspensions, type NarrowSuspension } from './narrow-suspensions.js';
import { ShapingClock } from './shaping-clock.js';
import { ShapingLog } from './shaping-log.js';
import { ShapingMemory } from './shaping-memory.js';
import { ShapingRows, type ShapingKey, type StoredState } from './shaping-rows.js';

/** @returns undefined when there is nothing to change */
type Decide = (state: ShapingState) => ShapingState | undefined;

const MAX_TRIES = 3;

/**
 * Changes of learnt limits: at once in this worker, then in the row, from which the other workers read them. When two
 * workers change the same state, the second decides again on the state that the first has written: a burst is cut once,
 * whichever workers see it.
 */
@Injectable()
export class ShapingChanges {
  private readonly watchers: ((groupKey: string, source: string) => void)[] = [];
  private readonly saves = new Map<GroupShaping, Promise<void>>();

  constructor(
    private readonly rows: ShapingRows,
    private readonly memory: ShapingMemory,
    private readonly narrowed: NarrowSuspensions,
    private readonly clock: ShapingClock,
    private readonly log: ShapingLog,
  ) {}

  watch(changed: (groupKey: string, source: string) => void): void {
    this.watchers.push(changed);
  }

  cut(group: GroupShaping, decide: Decide): void {
    const next = this.apply(group, decide);
    if (next === undefined) return;
    const { suspendedUntil: until, cause } = next;
    if (until !== null) this.log.suspended(group.key, 'source', { until, cause });
    else this.log.cut(group.key, { connections: next.connections, rate: next.rate }, cause);
  }

  recover(group: GroupShaping, decide: Decide): void {
    if (this.apply(group, decide) !== undefined) this.log.recovered(group.key);
  }

  /** @returns the state in force in this worker from now on */
  apply(group: GroupShaping, decide: Decide): ShapingState | undefined {
    const next = decide(group.state(this.clock.now()));
    if (next === undefined) return undefined;
    group.set(next);
    group.saving++;
    const before = this.saves.get(group) ?? Promise.resolve();
    const saved = before.then(() => this.save(group, decide));
    this.saves.set(group, saved);
    void saved.then(() => this.saves.get(group) === saved && this.saves.delete(group));
    this.tell(group.key);
    return next;
  }

  suspendNarrowly(suspension: NarrowSuspension): void {
    const { scope, until, cause } = suspension;
    this.log.suspended(suspension, scope, { until, cause });
    this.tell(suspension);
    this.rows.suspend(suspension).catch((error: unknown) => this.log.unsaved(error, suspension));
  }

  /** Closes windows that are over, of the groups that this worker uses: the first worker raises the limits for all. */
  closeWindows(): void {
    const now = this.clock.now();
    for (const group of this.memory.all()) {
      if (!group.isInUse(now) || group.saving > 0) continue;
      const { provider } = group;
      // read before the change: counts start again with the new state
      const use = group.windowUse(now);
      this.apply(group, (state) => closeWindow(state, use, { provider, now }));
    }
  }

  /** A worker came or went. */
  sharesChanged(): void {
    const now = this.clock.now();
    for (const group of this.memory.all()) if (group.isInUse(now)) this.tell(group.key);
  }

  /** Applies a state that another worker has written. */
  adopt(stored: StoredState): void {
    if (this.memory.adopt(stored)) this.tell(stored);
  }

  /** Retries the changes that could not be written. */
  retry(): void {
    for (const group of this.memory.all()) {
      if (!group.unsaved || group.saving > 0) continue;
      const wanted = group.state(this.clock.now());
      this.apply(group, () => wanted);
    }
  }

  /** Another worker changed these states, and the suspensions of these groups. */
  async refresh(keys: readonly ShapingKey[], groupKeys: readonly string[]): Promise<void> {
    if (keys.length > 0) for (const stored of await this.rows.read(keys)) this.adopt(stored);
    if (groupKeys.length === 0) return;
    const suspensions = await this.rows.loadSuspensions(groupKeys);
    this.narrowed.replace(suspensions, groupKeys);
  }

  /** Reads everything, at the start and after the notification connection was lost. */
  async refreshAll(): Promise<void> {
    const [states, suspensions] = await Promise.all([this.rows.load(), this.rows.loadSuspensions()]);
    this.narrowed.replace(suspensions);
    for (const stored of states) this.adopt(stored);
    this.memory.boundUsed();
  }

  /** Resolves when every change until now is written. */
  async settled(): Promise<void> {
    await Promise.all(this.saves.values());
  }

  private async save(group: GroupShaping, decide: Decide): Promise<void> {
    try {
      await this.replace(group, decide);
      group.unsaved = false;
    } catch (error) {
      group.unsaved = true;
      this.log.unsaved(error, group.key);
    } finally {
      group.saving--;
      if (group.saving === 0 && !group.unsaved) group.set(group.stored?.state);
    }
  }

  private async replace(group: GroupShaping, decide: Decide): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const version = group.stored?.version ?? 0;
      const state = decide(group.storedState(this.clock.now()));
      if (state === undefined) return;
      if (await this.rows.replace(group.key, version, state)) {
        group.stored = { ...group.key, version: version + 1, state };
        return;
      }
      [group.stored] = await this.rows.read([group.key]);
    }
  }

  private tell({ groupKey, source }: ShapingKey): void {
    this.memory.bound(groupKey);
    for (const watcher of this.watchers) watcher(groupKey, source);
  }
}
