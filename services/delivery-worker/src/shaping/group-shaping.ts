import {
  faded,
  initialState,
  isProbing,
  isSuspended,
  withEnd,
  type ConnectionEnd,
  type ProviderLimits,
  type ShapingState,
  type WindowUse,
} from './learning.rules.js';
import { RateMeter } from './rate-meter.js';
import type { GroupUse, ShapingKey, StoredState } from './shaping-rows.js';

// Groups that were used within this time are reported to the other workers, and have a limit of their own in claims.
const IN_USE_MS = 60_000;
// Ten messages in half a minute: fewer measure the demand, not the limit.
const MEASURED_FROM = 1 / 3;
// Number of weak signals in a window that count as one signal.
const WEAK_COUNT = 3;
const WEAK_MS = 30_000;
// Shorter than the time for which signals after a cut are ignored: what was in flight then is over.
const CLOSED_AFTER_MS = 20_000;
// A peak counts until its window and the one after it are over.
const PEAK_MS = 30_000;
// How much of a pace may be saved up between two messages, so that a late timer costs nothing.
const SAVED_MS = 250;
const MAX_RULES = 50;

/** The state of one MX group and source in this worker: the learnt limits, and their use now. */
export class GroupShaping {
  /** as stored in the row; undefined = there is none */
  stored: StoredState | undefined;
  /** number of changes that are being written to the row */
  saving = 0;
  /** the state in force, with the changes that are being written */
  private current: ShapingState | undefined;
  /** a change that could not be written */
  unsaved = false;
  connections = 0;
  touchedAt = 0;
  ends: readonly ConnectionEnd[] = [];
  /** the use of other workers, as last reported */
  others: WindowUse = { results: 0, peak: 0, rate: 0 };
  private readonly firstUsedAt: number;
  /** messages that were accepted, or rejected for reasons of their own */
  private readonly good = new RateMeter();
  private readonly tried = new RateMeter();
  private results = 0;
  private peaks = { before: 0, now: 0, since: 0 };
  private weak: number[] = [];
  private readonly counts = new Map<string, number[]>();
  private nextAt = 0;
  private tookAt = 0;
  private shared = { total: -1, generation: -1, share: 0 };

  constructor(
    readonly key: ShapingKey,
    readonly provider: ProviderLimits,
    now: number,
  ) {
    this.firstUsedAt = now;
    this.peaks.since = now;
  }

  /** A group without a row has no learnt limits: its start is a guess. */
  get isLearnt(): boolean {
    return this.current !== undefined;
  }

  state(now: number): ShapingState {
    return this.stateOf(this.current, now);
  }

  /** Without the changes that are not written yet. */
  storedState(now: number): ShapingState {
    return this.stateOf(this.stored?.state, now);
  }

  /** Counts per window start again with each state. */
  set(state: ShapingState | undefined): void {
    if (state?.windowFrom !== this.current?.windowFrom) this.results = 0;
    this.current = state;
  }

  using(connections: number, now: number): void {
    this.connections = connections;
    this.touchedAt = now;
    this.turnPeaks(now);
    this.peaks.now = Math.max(this.peaks.now, connections);
  }

  /** A transaction ended. @param good the server accepted or rejected it, without a word about its pace */
  ended(good: boolean, now: number): void {
    this.results++;
    this.touchedAt = now;
    this.tried.add(now);
    if (!good) return;
    this.good.add(now);
    this.tookAt = now;
  }

  /** Messages a second that the host took recently, from all workers; undefined = too few to measure. */
  measuredRate(now: number): number | undefined {
    const tried = this.tried.perSecond(now) + this.others.rate;
    return tried < MEASURED_FROM ? undefined : this.good.perSecond(now) + this.others.rate;
  }

  /** Enough was tried, and none of it was taken, by the reports of all workers. */
  isClosed(now: number): boolean {
    if (this.measuredRate(now) === undefined || this.others.rate > 0) return false;
    return now - this.tookAt >= CLOSED_AFTER_MS;
  }

  use(now: number): GroupUse {
    this.turnPeaks(now);
    return {
      ...this.key,
      version: this.stored?.version ?? 0,
      connections: this.connections,
      peak: Math.max(this.peaks.before, this.peaks.now),
      results: this.results,
      rate: this.good.perSecond(now),
    };
  }

  /** The use of all workers since the window began. */
  windowUse(now: number): WindowUse {
    const own = this.use(now);
    const { results, peak, rate } = this.others;
    return { results: own.results + results, peak: own.peak + peak, rate: own.rate + rate };
  }

  noteEnd(end: ConnectionEnd): void {
    this.ends = withEnd(this.ends, end);
  }

  /** @returns whether it is the third in a window */
  noteWeak(now: number): boolean {
    this.weak = [...this.weak.filter((at) => now - at < WEAK_MS), now];
    if (this.weak.length < WEAK_COUNT) return false;
    this.weak = [];
    return true;
  }

  /**
   * @param workers that contact the same host: each sees its part of the replies
   * @returns whether a row of the reply table has been matched as often as it requires
   */
  noteRule(
    rule: string,
    after: { count: number; perSeconds: number },
    workers: number,
    now: number,
  ): boolean {
    const needed = Math.max(1, Math.ceil(after.count / workers));
    const met = [...(this.counts.get(rule) ?? []), now]
      .filter((at) => now - at < after.perSeconds * 1_000)
      .slice(-needed);
    this.counts.delete(rule);
    if (met.length >= needed) return true;
    const [oldest] = this.counts.keys();
    if (this.counts.size >= MAX_RULES && oldest !== undefined) this.counts.delete(oldest);
    this.counts.set(rule, met);
    return false;
  }

  /**
   * Takes a turn of the pace.
   * @param rate messages a second of this worker; null = as fast as connections allow
   * @returns 0 when it was given, else ms until the next one
   */
  takeTurn(rate: number | null, now: number): number {
    if (rate === null) return 0;
    // no share of it: another worker sends
    if (rate <= 0) return 1_000;
    if (now < this.nextAt) return Math.ceil(this.nextAt - now);
    this.nextAt = Math.max(this.nextAt, now - SAVED_MS) + 1_000 / rate;
    return 0;
  }

  isInUse(now: number): boolean {
    return this.connections > 0 || now - this.touchedAt < IN_USE_MS;
  }

  get isBeingSaved(): boolean {
    return this.saving > 0 || this.unsaved;
  }

  isSuspended(now: number): boolean {
    return isSuspended(this.state(now), now);
  }

  isProbing(now: number): boolean {
    return isProbing(this.state(now), now);
  }

  /** Connections of all workers together. */
  allowed(now: number): number {
    const state = this.state(now);
    if (isSuspended(state, now)) return 0;
    return isProbing(state, now) ? 1 : Math.min(state.connections, this.provider.connections.cap);
  }

  /** A worker's share is computed once until the total or the workers change. */
  share(total: number, generation: number, count: () => number): number {
    if (this.shared.total !== total || this.shared.generation !== generation) {
      this.shared = { total, generation, share: count() };
    }
    return this.shared.share;
  }

  private stateOf(state: ShapingState | undefined, now: number): ShapingState {
    if (state === undefined) return initialState(this.provider, this.firstUsedAt);
    return faded(state, this.provider, now);
  }

  private turnPeaks(now: number): void {
    if (now - this.peaks.since < PEAK_MS) return;
    const isLongAgo = now - this.peaks.since >= 2 * PEAK_MS;
    this.peaks = { before: isLongAgo ? this.connections : this.peaks.now, now: this.connections, since: now };
  }
}
