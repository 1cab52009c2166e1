import { backoffMs } from '@postmesh/concurrency';
import type { Backoff } from '@postmesh/concurrency';
import type { GroupLimits, GroupResult, Reaction, Sender } from '../shaping/group-limits.port.js';
import type { ConnectionPermits, ConnectionUser } from './connection-permits.js';
import { openAnyAddress } from './open-connection.js';
import type { OpenOptions } from './open-connection.js';
import { hostKey } from './route.js';
import type { Route, RouteHost } from './route.js';
import type { SmtpOutcome } from './smtp-outcome.js';
import { SmtpSession } from './smtp-session.js';
import type { SessionOptions, SessionOwner } from './smtp-session.js';
import { directDestination, type TlsSession } from './tls-session.js';
import type { Handover, LargeMessage, OutgoingMessage } from './smtp-transaction.js';
import { covers, meets, needKey } from '../tls/host-need.rules.js';
import type { HostNeed, PeerProof } from '../tls/host-need.rules.js';

/** The target of a pool of connections. */
export interface GroupTarget {
  readonly port: number;
  readonly groupKey: string;
  /** its id */
  readonly source: string;
  /** greeting name, source address and proxy of its connections */
  readonly local: Pick<OpenOptions, 'ehloName' | 'localAddress' | 'via'>;
}

/** A message in the pool. */
export interface PoolJob {
  readonly message: OutgoingMessage | LargeMessage;
  readonly sender: Sender | undefined;
  readonly route: Route;
  readonly resolve: (outcome: SmtpOutcome) => void;
  /** names of the hosts that were tried */
  readonly tried: Set<string>;
  /** reused connections that were found closed: another one was requested */
  refreshes: number;
  last: SmtpOutcome | undefined;
  /** the time for the whole attempt is over: no other host is tried */
  overdue: boolean;
  /** the place where it waits or is being sent */
  at: { expire(job: PoolJob): void } | undefined;
  carrier: { readonly session: SmtpSession; readonly handover: Handover } | undefined;
}

export interface HostPoolOptions {
  readonly connection: Omit<OpenOptions, 'host' | 'address' | 'port' | 'ehloName' | 'localAddress' | 'via'>;
  readonly session: SessionOptions;
  readonly limits: GroupLimits;
  readonly idleMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly onOpened?: ((proof: PeerProof) => void) | undefined;
  /** once for each domain whose mail a session carries, and for each that had none because of its TLS */
  readonly onSession?: ((session: TlsSession) => void) | undefined;
}

/** A message that waits for a session, with the host as it was resolved for it. */
interface Waiting {
  readonly job: PoolJob;
  readonly host: RouteHost;
}

/** The interface of a host's pool to its MX group. */
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
  /** Checks whether this sender is suspended, and then gives the message back. */
  postpones(job: PoolJob): boolean;
  /** Continues with another host, or ends the message. */
  dispatch(job: PoolJob): void;
}

// A retry of a message comes after five minutes at the soonest: a host that has recovered is found by then.
export const HOST_BACKOFF: Backoff = { firstMs: 10_000, maxMs: 5 * 60_000, spread: 0.2 };
// Maximum age: without it the slowest host of a group would collect all connections.
const MAX_AGE_MS = 300_000;
// A connection that others wait for is left after this many messages: an own one for each message costs more.
const MESSAGES_BEFORE_LEAVING = 8;
const MAX_REFRESHES = 3;
// A server that closes an idle connection says nothing about messages per connection.
const RESTED_MS = 1_000;
// A server that refuses one more connection while others are open shows its limit; it is asked again after this.
const REMEMBER_LIMIT_MS = 60_000;

/** The use of one connection. */
interface SessionUse {
  readonly openedAt: number;
  taken: number;
  /** messages that the server accepted */
  good: number;
  idleAt: number;
  /** the message in flight came after a rest */
  rested: boolean;
  ending: 'by server' | 'full' | undefined;
  /** domains whose mail it has carried */
  readonly destinations: Set<string | undefined>;
}

/** The connection pool of one host: its waiting messages and its connections. */
export class HostPool implements ConnectionUser, SessionOwner {
  private readonly queue: Waiting[] = [];
  private readonly sessions = new Map<SmtpSession, SessionUse>();
  private readonly idleTimers = new Map<SmtpSession, NodeJS.Timeout>();
  /** sessions that are sending QUIT: when there is one too many, only one of them leaves */
  private readonly leaving = new Set<SmtpSession>();
  /** hosts to which connections are being opened */
  private readonly opening: RouteHost[] = [];
  /** connection attempts that failed in a row */
  private failures = 0;
  /** no connection before this moment, Unix ms */
  private backoffUntil = 0;
  /** by need: how often in a row the host did not prove it, and the time before which it is not asked for it again */
  private readonly unmet = new Map<string, { failures: number; until: number }>();
  private limit = { connections: Number.POSITIVE_INFINITY, until: 0 };

  constructor(
    private readonly name: string,
    private readonly group: HostGroup,
    private readonly options: HostPoolOptions,
  ) {}

  get waiting(): number {
    return this.queue.length;
  }

  get size(): number {
    return this.sessions.size + this.opening.length;
  }

  /** An idle connection meets this need. */
  hasIdle(host: HostNeed): boolean {
    return this.idleFor(host) !== undefined;
  }

  /** The time at which the host may be asked for this need, Unix ms; 0 = now */
  retryAt(host: HostNeed): number {
    const until = Math.max(this.backoffUntil, this.unmet.get(needKey(host))?.until ?? 0);
    return this.options.now() >= until ? 0 : until;
  }

  /** It has no connections, messages or backoff. */
  get forgettable(): boolean {
    const now = this.options.now();
    const rests = now < this.backoffUntil || [...this.unmet.values()].some(({ until }) => now < until);
    return this.size === 0 && this.queue.length === 0 && !rests;
  }

  /** @param host as it was resolved for this message: its addresses and needs may have changed */
  enqueue(job: PoolJob, host: RouteHost): void {
    job.at = this;
    const bulkAt = job.message.isBulk ? -1 : this.queue.findIndex((waiting) => waiting.job.message.isBulk);
    this.queue.splice(bulkAt < 0 ? this.queue.length : bulkAt, 0, { job, host });
    const idle = this.idleFor(host);
    if (idle !== undefined) return idle.wake();
    this.grow();
    return this.makeRoom();
  }

  /** Waiting messages may be sent now. */
  resume(): void {
    for (const { host } of this.queue) {
      if (this.idleTimers.size === 0) break;
      const idle = this.idleFor(host);
      if (idle !== undefined) return idle.wake();
    }
    return this.grow();
  }

  /** Closes an idle connection. @returns whether there was one */
  leaveIdle(): boolean {
    for (const session of this.idleTimers.keys()) {
      void this.retire(session);
      return true;
    }
    return false;
  }

  /** Opens connections for messages that no session is about to take, within all limits. */
  grow(): void {
    for (let next = this.unserved(); next !== undefined; next = this.unserved()) {
      if (this.size >= this.maxConnections() || !this.group.tryConnect(this)) return;
      this.opening.push(next.host);
      void this.open(next.host);
    }
  }

  take(session: SmtpSession): Handover | 'leave' | undefined {
    const use = this.sessions.get(session);
    this.markBusy(session);
    if (use === undefined) return 'leave';
    if (this.mustLeave(use)) {
      this.leaving.add(session);
      return 'leave';
    }
    const waiting = this.nextFor(session);
    if (waiting === undefined || waiting === 'leave') return waiting;
    if (!this.group.tryBegin()) {
      this.queue.unshift(waiting);
      return undefined;
    }
    use.taken++;
    use.rested = use.idleAt > 0 && this.options.now() - use.idleAt >= RESTED_MS;
    use.idleAt = 0;
    const { reused } = session;
    const settle = (outcome: SmtpOutcome) => this.settled(waiting, session, { outcome, reused });
    const handover = { message: waiting.job.message, settle };
    waiting.job.carrier = { session, handover };
    return handover;
  }

  /** The time for its attempt is over: a waiting message goes back, one in flight ends where that is possible. */
  expire(job: PoolJob): void {
    const at = this.queue.findIndex((waiting) => waiting.job === job);
    const [waiting] = at < 0 ? [] : this.queue.splice(at, 1);
    if (waiting === undefined) return job.carrier?.session.expire(job.carrier.handover);
    // Without a connection it waited for a greeting, otherwise for its turn.
    if (this.sessions.size === 0) return this.failed([job], waiting.host, NO_GREETING);
    return this.group.dispatch(job);
  }

  private mustLeave(use: SessionUse): boolean {
    const { closing, permits, isWanted, target } = this.group;
    if (closing || (permits.wanted && permits.inUseOf(this.group) > 1)) return true;
    if (isWanted && (use.taken >= MESSAGES_BEFORE_LEAVING || this.queue.length === 0)) return true;
    const { limits, now } = this.options;
    const staying = permits.inUseOf(this.group) - this.leaving.size;
    if (staying > limits.connectionsOf(target.groupKey, target.source)) return true;
    if (use.taken >= limits.perConnectionOf(target.groupKey, target.source)) use.ending = 'full';
    return use.ending !== undefined || now() - use.openedAt >= MAX_AGE_MS;
  }

  /** The first message whose needs the connection meets; those that may not be sent now are given back. */
  private nextFor(session: SmtpSession): Waiting | 'leave' | undefined {
    for (;;) {
      const at = this.queue.findIndex(({ host }) => meets(session.proof, host));
      if (at !== 0 && this.oldestIsStuck()) return 'leave';
      const [waiting] = at < 0 ? [] : this.queue.splice(at, 1);
      if (waiting === undefined || !this.group.postpones(waiting.job)) return waiting;
    }
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
    this.leaving.delete(session);
    const { groupKey, source } = this.group.target;
    if (use.ending !== undefined && use.good > 0) {
      const end = { good: use.good, byServer: use.ending === 'by server' };
      this.options.limits.ended(groupKey, source, end);
    }
    this.group.disconnected();
    this.grow();
  }

  /** Gives back the messages that no session has taken yet. */
  drain(): PoolJob[] {
    return this.queue.splice(0).map(({ job }) => job);
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

  /** The first message that no opening connection is going to take. */
  private unserved(): Waiting | undefined {
    const coming = [...this.opening];
    return this.queue.find(({ host }) => {
      const taker = coming.findIndex((opened) => covers(opened, host));
      if (taker >= 0) coming.splice(taker, 1);
      return taker < 0;
    });
  }

  private idleFor(host: HostNeed): SmtpSession | undefined {
    return [...this.idleTimers.keys()].find((session) => meets(session.proof, host));
  }

  /** No session meets the needs of the oldest message, and no further one could be opened. */
  private oldestIsStuck(): boolean {
    const [oldest] = this.queue;
    return oldest !== undefined && this.opening.length === 0 && !this.hasSessionFor(oldest.host);
  }

  private hasSessionFor(host: HostNeed): boolean {
    return [...this.sessions.keys()].some((session) => meets(session.proof, host));
  }

  /** An idle connection that proves too little is closed for one that may prove enough. */
  private makeRoom(): void {
    const next = this.unserved();
    if (next === undefined || this.hasSessionFor(next.host)) return;
    for (const session of this.idleTimers.keys()) return void this.retire(session);
  }

  private async open(host: RouteHost): Promise<void> {
    const { port, local } = this.group.target;
    const options = { ...this.options.connection, ...local, port, ...host.relay };
    const opened = await openAnyAddress(host, options);
    this.opening.splice(this.opening.indexOf(host), 1);
    if (!opened.ok) return this.onOpenFailed(host, opened.failure);
    this.failures = 0;
    this.backoffUntil = 0;
    this.unmet.delete(needKey(host));
    this.options.onOpened?.(opened.connection.proof);
    const session = new SmtpSession(opened.connection, this, this.options.session);
    this.sessions.set(session, newUse(this.options.now()));
    session.wake();
    return this.grow();
  }

  private onOpenFailed(host: RouteHost, failure: SmtpOutcome): void {
    if (failure.command === 'STARTTLS' && (host.need ?? 'none') !== 'none')
      return this.onUnmet(host, failure);
    const othersLive = this.sessions.size > 0;
    const { stopsWalk } = this.met({
      outcome: { ...failure, remoteHost: this.name },
      opened: false,
      othersLive,
    });
    if (othersLive) {
      this.limit = { connections: this.sessions.size, until: this.options.now() + REMEMBER_LIMIT_MS };
    }
    // Others are open or still being opened: the messages wait for those.
    if (this.size > 0) {
      this.group.disconnected();
      return this.makeRoom();
    }
    this.failures++;
    this.backoffUntil = this.options.now() + backoffMs(this.failures, HOST_BACKOFF, this.options.random());
    this.group.disconnected();
    // without the proxy no other host is reached
    return this.failed(this.drain(), host, failure, stopsWalk || failure.kind === 'postponed');
  }

  /** The host did not prove what some messages need: those try the next host, and the others stay. */
  private onUnmet(host: RouteHost, failure: SmtpOutcome): void {
    const key = needKey(host);
    const failures = (this.unmet.get(key)?.failures ?? 0) + 1;
    const waitMs = backoffMs(failures, HOST_BACKOFF, this.options.random());
    this.unmet.set(key, { failures, until: this.options.now() + waitMs });
    this.group.disconnected();
    // Several servers may share one name: one of them has proved it.
    if (this.hasSessionFor(host)) return;
    const concerned = this.queue.filter((waiting) => needKey(waiting.host) === key);
    for (const waiting of concerned) this.queue.splice(this.queue.indexOf(waiting), 1);
    this.failed(
      concerned.map(({ job }) => job),
      host,
      failure,
    );
    this.grow();
  }

  private failed(jobs: readonly PoolJob[], host: RouteHost, failure: SmtpOutcome, stopsWalk = false): void {
    const { connection } = failure;
    const { policy } = host;
    if (failure.command === 'STARTTLS')
      this.noteSessions(host, new Set(jobs.map(directDestination)), { trouble: connection?.tlsTrouble });
    for (const job of jobs) {
      job.tried.add(hostKey(host));
      job.last = afterOpenFailure(job.last, {
        ...failure,
        remoteHost: this.name,
        tls: connection?.tlsProtocol !== undefined,
        ...(connection ? { connection: { ...connection, tlsPolicy: policy ?? 'none' } } : {}),
      });
      // A relay's 5xx is about all our mail, not about this recipient: no other relay is asked to overrule it.
      if (job.route.viaRelay && failure.smtpCode >= 500) job.resolve({ ...job.last, kind: 'deferred' });
      else if (stopsWalk) job.resolve(job.last);
      else this.group.dispatch(job);
    }
  }

  private met(
    result: Omit<GroupResult, 'groupKey' | 'source' | 'address'>,
    { sender }: Pick<PoolJob, 'sender'> = { sender: undefined },
  ): Reaction {
    const { groupKey, source, local } = this.group.target;
    return this.options.limits.met({ ...sender, groupKey, source, address: local.localAddress, ...result });
  }

  private settled(
    waiting: Waiting,
    session: SmtpSession,
    { outcome, reused }: { outcome: SmtpOutcome; reused: boolean },
  ): void {
    const { job, host } = waiting;
    job.carrier = undefined;
    const use = this.sessions.get(session);
    const connection = { ...session.facts, tlsPolicy: host.policy ?? 'none' };
    const last = { ...outcome, remoteHost: this.name, tls: session.tls !== undefined, connection };
    const reaction = this.met({ outcome: last, reused, goodBefore: use?.good ?? 0 }, job);
    const destination = directDestination(job);
    if (use !== undefined && !use.destinations.has(destination)) {
      use.destinations.add(destination);
      const { verdict } = session.proof;
      this.noteSessions(host, [destination], { verdict, trouble: connection.tlsTrouble });
    }
    if (use !== undefined && outcome.kind === 'accepted') use.good++;
    if (use !== undefined && reaction.endsConnection && !use.rested) use.ending = 'by server';
    this.group.ended();
    if (reaction.endsConnection && !job.overdue && job.refreshes < MAX_REFRESHES) {
      job.refreshes++;
      this.queue.unshift(waiting);
      this.grow();
      return;
    }
    job.last = last;
    if (job.route.viaRelay || !mayTryNextHost(outcome) || reaction.stopsWalk) return job.resolve(last);
    job.tried.add(hostKey(host));
    this.group.dispatch(job);
  }

  private noteSessions(
    host: RouteHost,
    destinations: Iterable<string | undefined>,
    { verdict, trouble }: Partial<Pick<TlsSession, 'verdict' | 'trouble'>>,
  ): void {
    for (const destination of destinations)
      if (destination !== undefined) this.options.onSession?.({ destination, host, verdict, trouble });
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

const NO_GREETING: SmtpOutcome = {
  kind: 'deferred',
  smtpCode: 0,
  enhancedStatusCode: '4.4.1',
  response: 'the host took too long to greet',
  command: 'CONNECT',
  dataSent: 'no',
};

/** Spec 2-messages §14.4: 5xx to the greeting bounces only when no host was merely out of reach. */
function afterOpenFailure(before: SmtpOutcome | undefined, failure: SmtpOutcome): SmtpOutcome {
  // A proxy of ours failed: what a host said before counts.
  if (failure.kind === 'postponed') return before ?? failure;
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
  destinations: new Set(),
});

/** Another host may take it: this one did not decide, and it cannot have the message already. */
function mayTryNextHost(outcome: SmtpOutcome): boolean {
  if (outcome.kind === 'deferred') return true;
  return outcome.kind === 'connection-lost' && outcome.dataSent !== 'complete';
}
