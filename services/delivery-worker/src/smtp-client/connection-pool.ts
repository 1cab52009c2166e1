import { endsWithin } from '@postmesh/concurrency';
import type { EgressSource } from '../egress/egress-source.rules.js';
import { constantLimits } from '../shaping/constant-limits.js';
import type { GroupLimits, Sender } from '../shaping/group-limits.port.js';
import { SilentAddresses } from './silent-addresses.js';
import { ConnectionPermits } from './connection-permits.js';
import type { HostPoolOptions, PoolJob } from './host-pool.js';
import { MxGroup } from './mx-group.js';
import type { OpenOptions } from './open-connection.js';
import type { Route } from './route.js';
import { postponedFor } from './smtp-outcome.js';
import type { SmtpOutcome } from './smtp-outcome.js';
import type { LargeMessage, OutgoingMessage } from './smtp-transaction.js';
import { SMTP_TIMEOUTS } from './timeouts.js';
import type { SmtpTimeouts } from './timeouts.js';
import { TlsMemory } from './tls-memory.js';
import type { TlsSession } from './tls-session.js';
import type { PeerProof } from '../tls/host-need.rules.js';

export interface PoolOptions {
  /** greeting name for routes without a source */
  readonly ehloName: string;
  readonly tls?: OpenOptions['tls'];
  /** certificates of CAs that are trusted in addition to the usual ones, PEM */
  readonly extraCa?: string | undefined;
  /** a connection was opened */
  readonly onOpened?: (proof: PeerProof) => void;
  readonly onSession?: (session: TlsSession) => void;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** limit of connections of this worker */
  readonly maxConnections?: number;
  /** connections to an MX group, messages over each of them, and times of suspensions */
  readonly limits?: GroupLimits;
  /** messages in the pool, waiting and in flight */
  readonly maxInPool?: number;
  readonly idleMs?: number;
  /** for all hosts of a message together */
  readonly attemptMs?: number;
  readonly lendAfterMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

interface PoolStats {
  readonly groups: number;
  readonly connections: number;
  readonly waiting: number;
  readonly inPool: number;
}

// Outlook.com takes no more than 500; most providers' own limits are far lower.
const MAX_MESSAGES = 500;
// A host that uses up the limit of every step before the message (nine and a half minutes) still gets to it, and a
// message of 20 MiB needs 35 KiB/s. The reply to the final dot has its own five minutes beyond that: an attempt ends
// within fifteen, the lease of a delivery.
const ATTEMPT_MS = 10 * 60_000;
const SWEEP_FROM = 1_000;
const SWEEP_MS = 10_000;

/**
 * Connections to remote servers, kept and shared by destinations that have the same hosts. A message is tried at each
 * host of its route, best first, until one decides. Connections and messages are bounded; a silent host is in backoff.
 */
export class ConnectionPool {
  private readonly groups = new Map<string, MxGroup>();
  private readonly permits: ConnectionPermits;
  private readonly hostOptions: HostPoolOptions;
  private readonly ownSource: EgressSource;
  private readonly maxInPool: number;
  private readonly attemptMs: number;
  private inPool = 0;
  private sweptAt = 0;
  private closing = false;

  constructor(options: PoolOptions) {
    const limits = options.limits ?? constantLimits();
    limits.watch((groupKey, source) => this.onLimitsChanged(groupKey, source));
    this.permits = new ConnectionPermits(options.maxConnections ?? 500);
    this.ownSource = { id: '', ehloName: options.ehloName };
    this.maxInPool = options.maxInPool ?? 10_000;
    this.attemptMs = options.attemptMs ?? ATTEMPT_MS;
    const timeouts = { ...SMTP_TIMEOUTS, ...options.timeouts };
    const now = options.now ?? Date.now;
    this.hostOptions = {
      connection: {
        tls: options.tls ?? 'opportunistic',
        tlsMemory: new TlsMemory({ now, extraCa: options.extraCa }),
        timeouts,
        silent: new SilentAddresses(),
      },
      session: { timeouts, maxMessages: MAX_MESSAGES, lendAfterMs: options.lendAfterMs },
      limits,
      idleMs: options.idleMs ?? 30_000,
      now,
      random: options.random ?? Math.random,
      onOpened: options.onOpened,
      onSession: options.onSession,
    };
  }

  /** Sends one message to the hosts of its route. Never rejects: every result of the network is an outcome. */
  send(route: Route, message: OutgoingMessage | LargeMessage, sender?: Sender): Promise<SmtpOutcome> {
    if (this.closing || this.inPool >= this.maxInPool) {
      const response = this.closing ? 'the worker is stopping' : 'too many messages are under way';
      return Promise.resolve(postponedFor(1_000, response));
    }
    this.inPool++;
    return new Promise((resolve) => {
      const settle = (outcome: SmtpOutcome) => {
        clearTimeout(limit);
        this.inPool--;
        resolve(outcome);
      };
      const job: PoolJob = {
        message,
        sender,
        route,
        resolve: settle,
        tried: new Set<string>(),
        refreshes: 0,
        last: undefined,
        overdue: false,
        at: undefined,
        carrier: undefined,
      };
      const limit = setTimeout(() => {
        job.overdue = true;
        job.at?.expire(job);
      }, this.attemptMs).unref();
      this.groupOf(route).dispatch(job);
    });
  }

  /** Every connection that the source may have to the group is in use, and enough messages wait for them. */
  isFull(route: Route): boolean {
    return this.groups.get(this.keyOf(route))?.isFull ?? false;
  }

  /** A message of the source is with the group, or waits for it. */
  isBusy(route: Route): boolean {
    return this.groups.get(this.keyOf(route))?.isBusy ?? false;
  }

  /** Gives back the messages that wait for connections from a source. */
  release(source: string, reason: string): void {
    for (const group of this.groups.values()) if (group.target.source === source) group.release(reason);
  }

  stats(): PoolStats {
    const waiting = [...this.groups.values()].reduce((sum, group) => sum + group.waiting, 0);
    return { groups: this.groups.size, connections: this.permits.inUse, waiting, inPool: this.inPool };
  }

  /**
   * Lets messages in flight finish, gives back the waiting ones (`postponed`), and closes every connection.
   * @param graceMs after this, connections are cut: their messages come back as `connection-lost`
   */
  async close(graceMs = 5_000): Promise<void> {
    this.closing = true;
    const groups = [...this.groups.values()];
    const cut = setTimeout(() => groups.forEach((group) => group.abort()), graceMs);
    const closed = Promise.all(groups.map((group) => group.close())).then(() => this.permits.emptied());
    // A connection that is being opened to a silent host must not delay the end.
    await endsWithin(closed, graceMs + 500);
    clearTimeout(cut);
  }

  private groupOf(route: Route): MxGroup {
    const key = this.keyOf(route);
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    this.sweep();
    const { port, groupKey = hostsKey(route), source = this.ownSource } = route;
    const local = { ehloName: source.ehloName, localAddress: source.address, via: source.via };
    const target = { port, groupKey, source: source.id, local };
    const group = new MxGroup(target, this.permits, this.hostOptions);
    this.groups.set(key, group);
    return group;
  }

  private keyOf(route: Route): string {
    const { port, groupKey = hostsKey(route), source = this.ownSource } = route;
    return `${groupKey}:${port}:${source.id}`;
  }

  private onLimitsChanged(groupKey: string, source: string): void {
    for (const group of this.groups.values()) {
      if (group.target.groupKey === groupKey && group.target.source === source) group.onLimitsChanged();
    }
  }

  /** Groups without connections, messages or backoff are forgotten. */
  private sweep(): void {
    const now = this.hostOptions.now();
    if (this.groups.size < SWEEP_FROM || now - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = now;
    for (const [key, group] of this.groups) if (group.forgettable) this.groups.delete(key);
  }
}

/** The group of a route without one: destinations with the same hosts share connections. */
export function hostsKey(route: Route): string {
  return [...new Set(route.hosts.map((host) => host.name.toLowerCase()))].sort().join(',');
}
