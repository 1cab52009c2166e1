import { backoffMs } from '@postmesh/concurrency';
import type { Backoff } from '@postmesh/concurrency';
import type { EgressSource } from '../egress/egress-source.rules.js';
import type { GroupLimits, Sender } from '../shaping/group-limits.port.js';
import type { ConnectionPermits, ConnectionUser } from './connection-permits.js';
import { openAnyAddress } from './open-connection.js';
import type { OpenOptions } from './open-connection.js';
import type { SmtpOutcome } from './smtp-outcome.js';
import { SmtpSession } from './smtp-session.js';
import type { SessionOptions, SessionOwner } from './smtp-session.js';
import type { Handover, LargeMessage, OutgoingMessage } from './smtp-transaction.js';

/** One host that takes mail for a destination. */
export interface RouteHost {
  readonly name: string;
  /** lower first */
  readonly preference: number;
  /** in the order in which they are tried */
  readonly addresses: readonly string[];
  /** how it is spoken to, when it is a relay of ours */
  readonly relay?: RelayAccess;
}

export interface RelayAccess {
  readonly port: number;
  readonly tls: 'implicit' | 'opportunistic';
  /** only sent to a relay whose certificate is valid for its name */
  readonly login?: OpenOptions['auth'];
  readonly trust?: OpenOptions['trust'];
}

/** One name may stand for several relays. */
export const hostKey = ({ name, relay }: RouteHost): string =>
  relay === undefined ? name : `${name}:${relay.port}`;

/** Where a message may go: hosts by preference, ties in the order in which they are to be tried. */
export interface Route {
  readonly hosts: readonly RouteHost[];
  readonly port: number;
  /** the MX group, by which connections are shared and limits are learnt; its hosts unless given */
  readonly groupKey?: string;
  /** from where; the pool's own name, and the address that the system chooses, unless given */
  readonly source?: EgressSource;
  /** the hosts are relays: the next one is asked when one cannot be spoken to, never to hear another answer */
  readonly viaRelay?: boolean;
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
  readonly message: OutgoingMessage | LargeMessage;
  readonly sender: Sender | undefined;
  readonly route: Route;
  readonly resolve: (outcome: SmtpOutcome) => void;
  /** names of the hosts that were tried */
  readonly tried: Set<string>;
  /** a reused connection turned out to be closed, and a new one was asked for */
  refreshed: boolean;
  last: SmtpOutcome | undefined;
  /** the time for the whole attempt is over: no other host is tried */
  overdue: boolean;
  /** where it waits or is being sent */
  at: { expire(job: PoolJob): void } | undefined;
  carrier: { readonly session: SmtpSession; readonly handover: Handover } | undefined;
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
  /** May this host have one more connection, as far as the group is concerned? */
  mayGrow(pool: HostPool): boolean;
  /** Another host, or the end. */
  dispatch(job: PoolJob): void;
}

// A retry of a message comes after five minutes at the soonest: a host that is back is found by then.
export const HOST_BACKOFF: Backoff = { firstMs: 10_000, maxMs: 5 * 60_000, spread: 0.2 };
// A server that refuses one more connection while others live shows its limit; it is asked again after this.
const REMEMBER_LIMIT_MS = 60_000;

/** The connection pool of one host: its waiting messages and its connections. */
export class HostPool implements ConnectionUser, SessionOwner {
  private readonly queue: PoolJob[] = [];
  /** with the messages that each has taken */
  private readonly sessions = new Map<SmtpSession, number>();
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
    job.at = this;
    this.queue.push(job);
    for (const session of this.idleTimers.keys()) {
      session.wake();
      return;
    }
    this.grow();
  }

  /** Opens connections for messages that no session is about to take, as far as all bounds allow. */
  grow(): void {
    while (
      this.queue.length > this.opening &&
      this.size < this.maxConnections() &&
      this.group.mayGrow(this)
    ) {
      if (!this.group.permits.tryAcquire(this.group, this)) return;
      this.opening++;
      void this.open();
    }
  }

  take(session: SmtpSession): Handover | 'leave' | undefined {
    this.markBusy(session);
    const { closing, permits } = this.group;
    if (closing || (permits.wanted && permits.inUseOf(this.group) > 1)) return 'leave';
    const { groupKey, source } = this.group.target;
    const taken = this.sessions.get(session) ?? 0;
    if (taken >= this.options.limits.perConnectionOf(groupKey, source)) return 'leave';
    const job = this.queue.shift();
    if (job === undefined) return undefined;
    this.sessions.set(session, taken + 1);
    const { reused } = session;
    const settle = (outcome: SmtpOutcome) => this.settled(job, session, { outcome, reused });
    const handover = { message: job.message, settle };
    job.carrier = { session, handover };
    return handover;
  }

  /** The time for its attempt is over: what waits goes back, what is being sent ends where that is possible. */
  expire(job: PoolJob): void {
    const place = this.queue.indexOf(job);
    if (place < 0) return job.carrier?.session.expire(job.carrier.handover);
    this.queue.splice(place, 1);
    // It was slow in greeting; where connections live, the message waited for one of them.
    if (this.sessions.size === 0) job.last = this.lastFailure(job, NO_GREETING);
    return this.group.dispatch(job);
  }

  onIdle(session: SmtpSession): void {
    if (this.group.permits.wanted) return void session.quit();
    this.group.permits.markIdle(session);
    this.idleTimers.set(session, setTimeout(() => void this.retire(session), this.options.idleMs).unref());
    return undefined;
  }

  onClosed(session: SmtpSession): void {
    this.markBusy(session);
    if (!this.sessions.delete(session)) return;
    this.group.permits.release(this.group);
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
    const options = { ...this.options.connection, ...local, port, ...accessOf(this.host) };
    const opened = await openAnyAddress(this.host, options);
    this.opening--;
    if (!opened.ok) return this.onOpenFailed(opened.failure);
    this.failures = 0;
    this.backoffUntil = 0;
    const session = new SmtpSession(opened.connection, this, this.options.session);
    this.sessions.set(session, 0);
    session.wake();
    this.grow();
    return undefined;
  }

  private onOpenFailed(failure: SmtpOutcome): void {
    if (this.sessions.size > 0) {
      this.limit = { connections: this.sessions.size, until: this.options.now() + REMEMBER_LIMIT_MS };
    }
    // Others live or are still being opened: the messages wait for those.
    if (this.size > 0) return this.group.permits.release(this.group);
    this.failures++;
    this.backoffUntil = this.options.now() + backoffMs(this.failures, HOST_BACKOFF, this.options.random());
    this.group.permits.release(this.group);
    for (const job of this.drain()) {
      job.tried.add(hostKey(this.host));
      job.last = this.lastFailure(job, failure);
      // A relay's 5xx is its word on all our mail: another one is not asked to overrule it.
      if (job.route.viaRelay && failure.smtpCode >= 500) job.resolve({ ...job.last, kind: 'deferred' });
      else this.group.dispatch(job);
    }
    return undefined;
  }

  private lastFailure(job: PoolJob, failure: SmtpOutcome): SmtpOutcome {
    return afterOpenFailure(job.last, { ...failure, remoteHost: this.host.name, tls: false });
  }

  private settled(
    job: PoolJob,
    session: SmtpSession,
    { outcome, reused }: { outcome: SmtpOutcome; reused: boolean },
  ): void {
    job.carrier = undefined;
    if (reused && !job.refreshed && !job.overdue && wasClosedBefore(outcome)) {
      job.refreshed = true;
      this.queue.unshift(job);
      this.grow();
      return;
    }
    const { facts: connection } = session;
    job.last = { ...outcome, remoteHost: this.host.name, tls: session.tls !== undefined, connection };
    if (job.route.viaRelay || !mayTryNextHost(outcome)) return job.resolve(job.last);
    job.tried.add(hostKey(this.host));
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

function accessOf({ relay }: RouteHost): Partial<OpenOptions> {
  if (relay === undefined) return {};
  const { port, tls, login: auth, trust } = relay;
  return { port, tls, ...(auth ? { auth } : {}), ...(trust ? { trust } : {}) };
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
  const wasOutOfReach = before !== undefined && before.kind !== 'rejected';
  return failure.kind === 'rejected' && wasOutOfReach ? before : failure;
}

/** The server closed the connection before it saw any of the message: that says nothing about the message. */
function wasClosedBefore(outcome: SmtpOutcome): boolean {
  const closed = outcome.kind === 'connection-lost' || outcome.smtpCode === 421;
  return closed && outcome.dataSent === 'no';
}

/** Another host may take it: this one did not decide, and it cannot have the message already. */
function mayTryNextHost(outcome: SmtpOutcome): boolean {
  if (outcome.kind === 'deferred') return true;
  return outcome.kind === 'connection-lost' && outcome.dataSent !== 'complete';
}
