import { Ways } from '../ways/ways.js';
import { rowsOfSettings } from '../ways/ways-rows.js';
import { Metrics, type Logger } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import type { SourceNow } from '../explain/forecast.rules.js';
import { NarrowSuspensions } from '../shaping/narrow-suspensions.js';
import { PROVIDERS } from '../shaping/providers.table.js';
import { ShapingChanges } from '../shaping/shaping-changes.js';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ShapingLog } from '../shaping/shaping-log.js';
import { ShapingMemory } from '../shaping/shaping-memory.js';
import type { ShapingRows } from '../shaping/shaping-rows.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';

/** The rules of a house of local-internet (services/local-internet/src/houses). */
export interface VirtualHouse {
  /** @returns the reply instead of a greeting */
  connected(): string | undefined;
  disconnected(): void;
  /** @returns the reply when it does not take the message */
  refuses(now: number): string | undefined;
  took(now: number): void;
}

/** Messages in real rows, which leave when they are due and have a place in a budget. */
export interface VirtualMail {
  /** the next time at which a message may be due; Unix ms */
  readonly nextAt: number;
  /** @param most @returns the messages that leave now */
  take(now: number, most: number): Promise<VirtualMessage[]>;
  /** The house replied. */
  ended(message: VirtualMessage, reply: VirtualReply): void;
  /** They go back unsent. */
  putBack(messages: readonly VirtualMessage[], until: number): Promise<void>;
}

export interface VirtualReply {
  readonly at: number;
  /** of a message that it did not take */
  readonly retryAt: number | undefined;
  /** nothing is sent to it from now on */
  readonly isSuspended: boolean;
}

/** A message that leaves. */
export interface VirtualMessage {
  readonly id: string;
}

const TICK_MS = 20;
const SYNC_MS = 5_000;
const RETRY_MS = 300_000;
const REMEMBER_LIMIT_MS = 60_000;
const BEGIN = Date.UTC(2026, 0, 5, 8);

/**
 * A worker with one source towards one house, in virtual time: the limits of shaping with their reply table are the real
 * ones, connections and transactions take their time without any network.
 */
export class VirtualQueue {
  now: number;
  due = 0;
  delivered = 0;
  /** messages that the house did not take */
  refused = 0;
  signals = 0;
  private readonly later: number[] = [];
  private held: VirtualMessage[] = [];
  private pausedUntil = 0;
  /** nothing leaves before it, by the pace */
  private pacedUntil = 0;
  private readonly slots: Slot[] = [];
  private openLimit = { connections: Number.POSITIVE_INFINITY, until: 0 };
  private readonly limits: ShapingLimits;
  private readonly memory: ShapingMemory;
  private readonly changes: ShapingChanges;

  constructor(
    private readonly house: VirtualHouse,
    private readonly groupKey: string,
    private readonly messageMs: number,
    private readonly given: {
      readonly mail?: VirtualMail;
      readonly source?: string;
      readonly begin?: number;
    } = {},
  ) {
    this.now = given.begin ?? BEGIN;
    const settings = loadSettings({});
    const clock = new ShapingClock({ now: () => this.now } as ConstructorParameters<typeof ShapingClock>[0]);
    clock.use(() => this.now);
    const quiet = { info: () => undefined, warn: () => undefined } as unknown as Logger;
    const log = new ShapingLog(quiet, new Metrics());
    const rows = { replace: async () => true, read: async () => [], suspend: async () => undefined };
    const narrowed = new NarrowSuspensions();
    this.memory = new ShapingMemory(PROVIDERS, settings, clock);
    this.changes = new ShapingChanges(rows as unknown as ShapingRows, this.memory, narrowed, clock, log);
    const ways = new Ways(
      { load: async () => rowsOfSettings(settings), seen: async () => undefined },
      settings,
      quiet,
    );
    ways.sources = [{ id: this.from, ehloName: 'mta.test' }];
    this.limits = new ShapingLimits(settings, this.memory, this.changes, narrowed, clock, log, ways);
  }

  get queued() {
    const later = this.later.toSorted((one, other) => one - other).map((at) => ({ at, messages: 1 }));
    return { due: this.due + this.inFlight, later };
  }

  get source(): SourceNow {
    const group = this.memory.of(this.groupKey, this.from);
    const { provider } = group;
    const messageSeconds = this.messageMs / 1_000;
    const perSecond = group.use(this.now).rate;
    return { state: group.state(this.now), provider, mostConnections: 20, messageSeconds, perSecond };
  }

  get isEmpty(): boolean {
    return this.due === 0 && this.inFlight === 0 && this.later.length === 0;
  }

  /** Runs on until this holds, or the time has come. */
  async run(until: () => boolean, end = Number.POSITIVE_INFINITY): Promise<void> {
    while (!until() && this.now < end) {
      if (this.now % SYNC_MS === 0) {
        await this.changes.settled();
        this.changes.closeWindows();
        await this.changes.settled();
        await this.leaveSuspended();
      }
      await this.refill();
      this.tick();
      if (!until()) this.now = this.nextTick(end);
    }
  }

  private get from(): string {
    return this.given.source ?? '';
  }

  /** Messages that wait for a connection go back when nothing is sent any more. */
  private async leaveSuspended(): Promise<void> {
    const wait = this.limits.waitOf(this.groupKey, this.from);
    if (wait === undefined || this.held.length === 0) return;
    await this.given.mail?.putBack(this.held, wait.until.getTime());
    this.held = [];
    this.due = 0;
  }

  private async refill(): Promise<void> {
    const { mail } = this.given;
    if (mail === undefined || this.due > 0 || this.now < Math.max(mail.nextAt, this.pausedUntil)) return;
    const wait = this.limits.waitOf(this.groupKey, this.from);
    this.pausedUntil = wait?.until.getTime() ?? 0;
    if (wait !== undefined) return;
    this.held = await mail.take(this.now, this.limits.of(this.groupKey) - this.inFlight);
    this.due = this.held.length;
  }

  /** Time without a message passes at once. */
  private nextTick(end: number): number {
    const next = this.now + TICK_MS;
    if (this.pacedUntil > next) return this.afterPause(next);
    const { mail } = this.given;
    if (mail === undefined || this.due > 0 || this.inFlight > 0) return next;
    return Math.max(
      next,
      Math.ceil(Math.min(Math.max(mail.nextAt, this.pausedUntil), end) / SYNC_MS) * SYNC_MS,
    );
  }

  /** The next tick at which a message may leave or a reply comes. */
  private afterPause(next: number): number {
    const ends = this.slots.flatMap(({ busyUntil }) => busyUntil ?? []);
    const at = Math.min(this.pacedUntil, this.later[0] ?? this.pacedUntil, ...ends);
    const sync = Math.ceil(next / SYNC_MS) * SYNC_MS;
    return Math.max(next, Math.min(sync, Math.ceil(at / TICK_MS) * TICK_MS));
  }

  private get inFlight(): number {
    return this.slots.filter(({ busyUntil }) => busyUntil !== undefined).length;
  }

  private tick(): void {
    while (this.later[0] !== undefined && this.later[0] <= this.now) {
      this.later.shift();
      this.due++;
    }
    for (const slot of this.slots)
      if (slot.busyUntil !== undefined && slot.busyUntil <= this.now) this.end(slot);
    this.connect();
    this.pacedUntil = 0;
    for (const slot of this.slots) this.begin(slot);
  }

  private end(slot: Slot): void {
    const { message } = slot;
    slot.busyUntil = undefined;
    slot.message = undefined;
    const reply = this.house.refuses(this.now);
    if (reply !== undefined) this.refused++;
    if (reply === undefined) {
      this.delivered++;
      this.house.took(this.now);
    } else if (message === undefined) this.later.push(this.now + RETRY_MS);
    this.met(reply ?? '250 2.0.0 OK', {});
    const isSuspended = this.limits.waitOf(this.groupKey, this.from) !== undefined;
    const retryAt = reply === undefined ? undefined : this.now + RETRY_MS;
    if (message !== undefined) this.given.mail?.ended(message, { at: this.now, retryAt, isSuspended });
  }

  /** Opens and closes connections as a pool does, which remembers the number at which a host refused one more. */
  private connect(): void {
    const allowed = this.limits.connectionsOf(this.groupKey, this.from);
    for (let nth = this.slots.length; nth-- > 0 && this.slots.length > allowed;) {
      if (this.slots[nth]?.busyUntil !== undefined) continue;
      this.slots.splice(nth, 1);
      this.house.disconnected();
    }
    const most = this.now < this.openLimit.until ? this.openLimit.connections : Number.POSITIVE_INFINITY;
    if (this.due > this.slots.length - this.inFlight && this.slots.length < Math.min(allowed, most)) {
      const reply = this.house.connected();
      if (reply === undefined) this.slots.push({ busyUntil: undefined, message: undefined });
      else {
        this.house.disconnected();
        this.openLimit = { connections: this.slots.length, until: this.now + REMEMBER_LIMIT_MS };
        this.met(reply, { opened: false, othersLive: this.slots.length > 0 });
      }
    }
    this.limits.using(this.groupKey, this.from, this.slots.length);
  }

  private begin(slot: Slot): void {
    if (slot.busyUntil !== undefined || this.due === 0) return;
    if (this.limits.waitOf(this.groupKey, this.from) !== undefined) return;
    const wait = this.limits.takeTurn(this.groupKey, this.from, this.inFlight);
    if (wait > 0) {
      this.pacedUntil = this.now + wait;
      return;
    }
    slot.busyUntil = this.now + this.messageMs;
    slot.message = this.held.shift();
    this.due--;
  }

  private met(reply: string, about: { opened?: boolean; othersLive?: boolean }): void {
    const before = this.source.state.cause?.at;
    const [, code = '', enhanced = '', response = ''] = /^(\d{3}) (\S+) (.*)$/s.exec(reply) ?? [];
    const outcome: SmtpOutcome = {
      kind: code.startsWith('2') ? 'accepted' : 'deferred',
      ...{ smtpCode: Number(code), enhancedStatusCode: enhanced, response, dataSent: 'no' },
      command: about.opened === false ? 'CONNECT' : 'DATA',
    };
    const sender = { senderDomain: 'shop.test', accountId: 'one' };
    this.limits.met({ groupKey: this.groupKey, source: this.from, ...sender, outcome, ...about });
    if (this.source.state.cause?.at !== before) this.signals++;
  }
}

/** A connection. */
interface Slot {
  busyUntil: number | undefined;
  message: VirtualMessage | undefined;
}
