import { backoffMs } from '@postmesh/concurrency';
import type { Backoff } from '@postmesh/concurrency';
import type { EgressSource } from '../egress/egress-source.rules.js';
import type { GroupLimits, GroupResult, Heard, Sender } from '../shaping/group-limits.port.js';
import type { ConnectionPermits, ConnectionUser } from './connection-permits.js';
import { openAnyAddress } from './open-connection.js';
import type { OpenOptions } from './open-connection.js';
import type { SmtpOutcome } from './smtp-outcome.js';
import { SmtpSession } from './smtp-session.js';
import type { SessionOptions, SessionOwner } from './smtp-session.js';
import type { Handover, OutgoingMessage } from './smtp-transaction.js';

/** One host that takes mail for a destination. */
export interface RouteHost {
  readonly name: string;
  /** lower first */
  readonly preference: number;
  /** in the order in which they are tried */
  readonly addresses: readonly string[];
}

/** Where a message may go: hosts by preference, ties in the order in which they are to be tried. */
export interface Route {
  readonly hosts: readonly RouteHost[];
  readonly port: number;
  /** the MX group, by which connections are shared and limits are learnt; its hosts unless given */
  readonly groupKey?: string;
  /** from where; the pool's own name, and the address that the system chooses, unless given */
  readonly source?: EgressSource;
}

/** What a pool of connections is for. */
export interface GroupTarget {
  readonly port: number;
  readonly groupKey: string;
  /** its id */
  readonly source: string;
  /** with what name and from which address its connections are opened */
  readonly local: Pick<OpenOptions, 'ehloName' | 'localAddress'>;
}

/** A message in the pool. */
export interface PoolJob {
  readonly message: OutgoingMessage;
  readonly sender: Sender | undefined;
  readonly route: Route;
  readonly resolve: (outcome: SmtpOutcome) => void;
  /** names of the hosts that were tried */
  readonly tried: Set<string>;
  /** reused connections that turned out to be closed: another one was asked for */
  refreshes: number;
  last: SmtpOutcome | undefined;
}

export interface HostPoolOptions {
  readonly connection: Omit<OpenOptions, 'host' | 'address' | 'port' | 'ehloName' | 'localAddress'>;
  readonly session: SessionOptions;
  readonly limits: GroupLimits;
  readonly idleMs: number;
  readonly now: () => number;
  readonly random: () => number;
}

/** What the pool of a host needs of its MX group. */
export interface HostGroup {
  readonly target: GroupTarget;
  readonly permits: ConnectionPermits;
  readonly closing: boolean;
  /** Another host of the group waits for a connection of this one. */
  readonly isWanted: boolean;
  /** @returns whether this host may have one more connection; it is counted then, until `disconnected` */
  tryConnect(pool: HostPool): boolean;
  disconnected(): void;
  /** @returns whether one more message may go to a server now; it is counted then, until `ended` */
  tryBegin(): boolean;
  ended(): void;
  /** Nothing may be sent for this sender: it was told so, or was not. */
  postpones(job: PoolJob): boolean;
  /** Another host, or the end. */
  dispatch(job: PoolJob): void;
}

// A retry of a message comes after five minutes at the soonest: a host that is back is found by then.
export const HOST_BACKOFF: Backoff = { firstMs: 10_000, maxMs: 5 * 60_000, spread: 0.2 };
// Then the slowest host of a group would have collected all connections.
const MAX_AGE_MS = 300_000;
// A connection that others wait for is left after so many messages: an own one for each message costs more.
const MESSAGES_BEFORE_LEAVING = 8;
const MAX_REFRESHES = 3;
// A server that closes an idle connection says nothing about messages per connection.
const RESTED_MS = 1_000;
// A server that refuses one more connection while others live shows its limit; it is asked again after this.
const REMEMBER_LIMIT_MS = 60_000;

/** What became of one connection. */
interface SessionUse {
  readonly openedAt: number;
  taken: number;
  /** messages that the server accepted */
  good: number;
  idleAt: number;
  /** the message in flight came after a rest */
  rested: boolean;
  ending: 'by server' | 'full' | undefined;
}

/** The connection pool of one host: its waiting messages and its connections. */
export class HostPool implements ConnectionUser, SessionOwner {
  private readonly queue: PoolJob[] = [];
  private readonly sessions = new Map<SmtpSession, SessionUse>();
  private readonly idleTimers = new Map<SmtpSession, NodeJS.Timeout>();
  private opening = 0;
  /** connection attempts that failed in a row */
  private failures = 0;
  /** no connection before this moment, Unix ms */
  private backoffUntil = 0;
  private limit = { connections: Number.POSITIVE_INFINITY, until: 0 };

  constructor(
    private host: RouteHost,
    private readonly group: HostGroup,
    private readonly options: HostPoolOptions,
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
    return this.options.now() >= this.backoffUntil ? 0 : this.backoffUntil;
  }

  /** It has no connections, messages or backoff. */
  get forgettable(): boolean {
    return this.size === 0 && this.queue.length === 0 && this.retryAt === 0;
  }

  /** @param host as it was resolved last: its addresses may have changed */
  enqueue(job: PoolJob, host: RouteHost): void {
    this.host = host;
    this.queue.push(job);
    this.resume();
  }

  /** Messages may go out now, if some wait. */
  resume(): void {
    if (this.queue.length === 0) return undefined;
    for (const session of this.idleTimers.keys()) return session.wake();
    return this.grow();
  }

  /** Closes a connection that has nothing to do. @returns whether there was one */
  leaveIdle(): boolean {
    for (const session of this.idleTimers.keys()) {
      void this.retire(session);
      return true;
    }
    return false;
  }

  /** Opens connections for messages that no session is about to take, as far as all bounds allow. */
  grow(): void {
    while (this.queue.length > this.opening && this.size < this.maxConnections()) {
      if (!this.group.tryConnect(this)) return;
      this.opening++;
      void this.open();
    }
  }

  take(session: SmtpSession): Handover | 'leave' | undefined {
    const use = this.sessions.get(session);
    this.markBusy(session);
    if (use === undefined || this.mustLeave(use)) return 'leave';
    const job = this.nextJob();
    if (job === undefined) return undefined;
    if (!this.group.tryBegin()) {
      this.queue.unshift(job);
      return undefined;
    }
    use.taken++;
    use.rested = use.idleAt > 0 && this.options.now() - use.idleAt >= RESTED_MS;
    use.idleAt = 0;
    const { reused } = session;
    return { message: job.message, settle: (outcome) => this.settled(job, session, { outcome, reused }) };
  }

  private mustLeave(use: SessionUse): boolean {
    const { closing, permits, isWanted, target } = this.group;
    if (closing || (permits.wanted && permits.inUseOf(this.group) > 1)) return true;
    if (isWanted && (use.taken >= MESSAGES_BEFORE_LEAVING || this.queue.length === 0)) return true;
    const { limits, now } = this.options;
    if (permits.inUseOf(this.group) > limits.connectionsOf(target.groupKey, target.source)) return true;
    if (use.taken >= limits.perConnectionOf(target.groupKey, target.source)) use.ending = 'full';
    return use.ending !== undefined || now() - use.openedAt >= MAX_AGE_MS;
  }

  /** Those whose sender the group takes nothing from are given back. */
  private nextJob(): PoolJob | undefined {
    for (let job = this.queue.shift(); job !== undefined; job = this.queue.shift()) {
      if (!this.group.postpones(job)) return job;
    }
    return undefined;
  }

  onIdle(session: SmtpSession): void {
    if (this.group.permits.wanted || this.group.isWanted) return void session.quit();
    const use = this.sessions.get(session);
    if (use !== undefined && use.idleAt === 0) use.idleAt = this.options.now();
    this.group.permits.markIdle(session);
    this.idleTimers.set(session, setTimeout(() => void this.retire(session), this.options.idleMs).unref());
    return undefined;
  }

  onClosed(session: SmtpSession): void {
    this.markBusy(session);
    const use = this.sessions.get(session);
    if (use === undefined) return;
    this.sessions.delete(session);
    const { groupKey, source } = this.group.target;
    if (use.ending !== undefined && use.good > 0) {
      const end = { good: use.good, byServer: use.ending === 'by server' };
      this.options.limits.ended(groupKey, source, end);
    }
    this.group.disconnected();
    this.grow();
  }

  /** Gives back the messages that no session took yet. */
  drain(): PoolJob[] {
    return this.queue.splice(0);
  }

  async quit(): Promise<void> {
    await Promise.all([...this.sessions.keys()].map((session) => session.quit()));
  }

  abort(): void {
    for (const session of this.sessions.keys()) session.abort('the worker is stopping');
  }

  private maxConnections(): number {
    // After failures one connection tries first; the others follow when it worked.
    if (this.failures > 0) return 1;
    return this.options.now() < this.limit.until ? this.limit.connections : Number.POSITIVE_INFINITY;
  }

  private async open(): Promise<void> {
    const { port, local } = this.group.target;
    const opened = await openAnyAddress(this.host, { ...this.options.connection, ...local, port });
    this.opening--;
    if (!opened.ok) return this.onOpenFailed(opened.failure);
    this.failures = 0;
    this.backoffUntil = 0;
    const session = new SmtpSession(opened.connection, this, this.options.session);
    this.sessions.set(session, newUse(this.options.now()));
    session.wake();
    this.grow();
    return undefined;
  }

  private onOpenFailed(failure: SmtpOutcome): void {
    const othersLive = this.sessions.size > 0;
    const outcome = { ...failure, remoteHost: this.host.name, tls: false };
    const heard = this.met({ outcome, opened: false, othersLive });
    if (othersLive) {
      this.limit = { connections: this.sessions.size, until: this.options.now() + REMEMBER_LIMIT_MS };
    }
    // Others live or are still being opened: the messages wait for those.
    if (this.size > 0) return this.group.disconnected();
    this.failures++;
    this.backoffUntil = this.options.now() + backoffMs(this.failures, HOST_BACKOFF, this.options.random());
    this.group.disconnected();
    for (const job of this.drain()) {
      job.tried.add(this.host.name);
      job.last = afterOpenFailure(job.last, outcome);
      if (heard.stopsWalk) job.resolve(job.last);
      else this.group.dispatch(job);
    }
    return undefined;
  }

  private met(
    result: Omit<GroupResult, 'groupKey' | 'source' | 'address'>,
    { sender }: Pick<PoolJob, 'sender'> = { sender: undefined },
  ): Heard {
    const { groupKey, source, local } = this.group.target;
    return this.options.limits.met({ ...sender, groupKey, source, address: local.localAddress, ...result });
  }

  private settled(
    job: PoolJob,
    session: SmtpSession,
    { outcome, reused }: { outcome: SmtpOutcome; reused: boolean },
  ): void {
    const use = this.sessions.get(session);
    const { facts: connection } = session;
    const last = { ...outcome, remoteHost: this.host.name, tls: session.tls !== undefined, connection };
    const heard = this.met({ outcome: last, reused, goodBefore: use?.good ?? 0 }, job);
    if (use !== undefined && outcome.kind === 'accepted') use.good++;
    if (use !== undefined && heard.endsConnection && !use.rested) use.ending = 'by server';
    this.group.ended();
    if (heard.endsConnection && job.refreshes < MAX_REFRESHES) {
      job.refreshes++;
      this.queue.unshift(job);
      this.grow();
      return;
    }
    job.last = last;
    if (!mayTryNextHost(outcome) || heard.stopsWalk) return job.resolve(last);
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
    this.group.permits.markBusy(session);
  }
}

/** Spec 2-messages §14.4: 5xx to the greeting bounces only when no host was merely out of reach. */
function afterOpenFailure(before: SmtpOutcome | undefined, failure: SmtpOutcome): SmtpOutcome {
  const wasOutOfReach = before !== undefined && before.kind !== 'rejected';
  return failure.kind === 'rejected' && wasOutOfReach ? before : failure;
}

const newUse = (openedAt: number): SessionUse => ({
  openedAt,
  taken: 0,
  good: 0,
  idleAt: 0,
  rested: false,
  ending: undefined,
});

/** Another host may take it: this one did not decide, and it cannot have the message already. */
function mayTryNextHost(outcome: SmtpOutcome): boolean {
  if (outcome.kind === 'deferred') return true;
  return outcome.kind === 'connection-lost' && outcome.dataSent !== 'complete';
}
