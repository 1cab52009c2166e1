import { backOffAfterFailure, mayConnect, NO_BACK_OFF } from './back-off.rules.js';
import type { BackOff } from './back-off.rules.js';
import type { ConnectionSlots, SlotUser } from './connection-slots.js';
import { openAnyAddress } from './open-connection.js';
import type { OpenFailure, OpenOptions } from './open-connection.js';
import { deservesFreshConnection, mayTryNextHost, resultOfOpenFailure } from './pool-job.js';
import type { PoolJob } from './pool-job.js';
import type { RouteHost } from './route.js';
import type { SmtpOutcome } from './smtp-outcome.js';
import { SmtpSession } from './smtp-session.js';
import type { SessionOptions, SessionOwner } from './smtp-session.js';
import type { Handover } from './smtp-transaction.js';

export interface LaneOptions {
  readonly connection: Omit<OpenOptions, 'host' | 'address' | 'port'>;
  readonly session: SessionOptions;
  readonly idleMs: number;
  readonly now: () => number;
  readonly random: () => number;
}

/** What a lane needs of its group. */
export interface LaneGroup {
  readonly port: number;
  readonly slots: ConnectionSlots;
  readonly closing: boolean;
  /** May this lane have one more connection, as far as the group is concerned? */
  mayGrow(lane: HostLane): boolean;
  connections: number;
  /** Another host, or the end. */
  dispatch(job: PoolJob): void;
}

// A server that refuses one more connection while others live has said how many it wants; asked again after this.
const REMEMBER_LIMIT_MS = 60_000;

/** The messages and connections for one host. */
export class HostLane implements SlotUser, SessionOwner {
  private readonly queue: PoolJob[] = [];
  private readonly sessions = new Set<SmtpSession>();
  private readonly idleTimers = new Map<SmtpSession, NodeJS.Timeout>();
  private opening = 0;
  private backOff: BackOff = NO_BACK_OFF;
  private limit = { connections: Number.POSITIVE_INFINITY, until: 0 };

  constructor(
    private host: RouteHost,
    private readonly group: LaneGroup,
    private readonly options: LaneOptions,
  ) {}

  get waiting(): number {
    return this.queue.length;
  }

  get size(): number {
    return this.sessions.size + this.opening;
  }

  get hasIdle(): boolean {
    return this.idleTimers.size > 0;
  }

  /** Unix ms; 0 = now */
  get retryAt(): number {
    return mayConnect(this.backOff, this.options.now()) ? 0 : this.backOff.until;
  }

  /** Nothing is kept or remembered here. */
  get forgettable(): boolean {
    return this.size === 0 && this.queue.length === 0 && this.retryAt === 0;
  }

  /** @param host as it was resolved last: its addresses may have changed */
  enqueue(job: PoolJob, host: RouteHost): void {
    this.host = host;
    this.queue.push(job);
    for (const session of this.idleTimers.keys()) {
      session.wake();
      return;
    }
    this.grow();
  }

  /** Opens connections for messages that nobody is about to take, as far as all bounds allow. */
  grow(): void {
    while (
      this.queue.length > this.opening &&
      this.size < this.mostConnections() &&
      this.group.mayGrow(this)
    ) {
      if (!this.group.slots.take(this)) return;
      this.opening++;
      this.group.connections++;
      void this.open();
    }
  }

  take(session: SmtpSession): Handover | 'leave' | undefined {
    this.markBusy(session);
    if (this.group.closing || (this.group.slots.wanted && this.group.connections > 1)) return 'leave';
    const job = this.queue.shift();
    if (job === undefined) return undefined;
    const { kept } = session;
    return { message: job.message, settle: (outcome) => this.settled(job, session, { outcome, kept }) };
  }

  onIdle(session: SmtpSession): void {
    if (this.group.slots.wanted) return void session.quit();
    this.group.slots.markIdle(session);
    this.idleTimers.set(session, setTimeout(() => void this.retire(session), this.options.idleMs).unref());
    return undefined;
  }

  onClosed(session: SmtpSession): void {
    this.markBusy(session);
    if (!this.sessions.delete(session)) return;
    this.group.connections--;
    this.group.slots.release();
    this.grow();
  }

  /** Gives back the messages that nobody took yet. */
  drain(): PoolJob[] {
    return this.queue.splice(0);
  }

  async quit(): Promise<void> {
    await Promise.all([...this.sessions].map((session) => session.quit()));
  }

  abort(): void {
    for (const session of this.sessions) session.abort('the worker is stopping');
  }

  private mostConnections(): number {
    // After failures one connection tries first; the others follow when it worked.
    if (this.backOff.failures > 0) return 1;
    return this.options.now() < this.limit.until ? this.limit.connections : Number.POSITIVE_INFINITY;
  }

  private async open(): Promise<void> {
    const opened = await openAnyAddress(this.host, { ...this.options.connection, port: this.group.port });
    this.opening--;
    if (!opened.ok) return this.onOpenFailed(opened.failure);
    this.backOff = NO_BACK_OFF;
    const session = new SmtpSession(opened.connection, this, this.options.session);
    this.sessions.add(session);
    session.wake();
    this.grow();
    return undefined;
  }

  private onOpenFailed(failure: OpenFailure): void {
    this.group.connections--;
    if (this.sessions.size > 0) {
      this.limit = { connections: this.sessions.size, until: this.options.now() + REMEMBER_LIMIT_MS };
    }
    // Others live or are still being opened: the messages wait for those.
    if (this.size > 0) return this.group.slots.release();
    this.backOff = backOffAfterFailure(this.backOff, this.options.now(), this.options.random());
    this.group.slots.release();
    for (const job of this.drain()) {
      job.tried.add(this.host.name);
      job.last = resultOfOpenFailure(failure, this.host.name, job.last);
      this.group.dispatch(job);
    }
    return undefined;
  }

  private settled(job: PoolJob, session: SmtpSession, came: { outcome: SmtpOutcome; kept: boolean }): void {
    const { outcome } = came;
    if (deservesFreshConnection(outcome, came.kept, job)) {
      job.refreshed = true;
      this.queue.unshift(job);
      this.grow();
      return;
    }
    job.last = { ...outcome, remoteHost: this.host.name, tls: session.tls !== undefined };
    if (!mayTryNextHost(outcome)) return job.resolve(job.last);
    job.tried.add(this.host.name);
    this.group.dispatch(job);
  }

  private retire(session: SmtpSession): Promise<void> {
    this.markBusy(session);
    return session.quit();
  }

  private markBusy(session: SmtpSession): void {
    clearTimeout(this.idleTimers.get(session));
    this.idleTimers.delete(session);
    this.group.slots.markBusy(session);
  }
}
