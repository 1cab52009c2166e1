import { ConnectionSlots } from './connection-slots.js';
import type { LaneOptions } from './host-lane.js';
import { MxGroup } from './mx-group.js';
import type { OpenOptions } from './open-connection.js';
import type { PoolResult } from './pool-job.js';
import { groupKey } from './route.js';
import type { Route } from './route.js';
import type { OutgoingMessage } from './smtp-transaction.js';
import { SMTP_TIMEOUTS } from './timeouts.js';
import type { SmtpTimeouts } from './timeouts.js';
import { TlsMemory } from './tls-memory.js';

export interface PoolOptions {
  /** name with which servers are greeted */
  readonly ehloName: string;
  readonly tls?: OpenOptions['tls'];
  /** for a relay */
  readonly auth?: OpenOptions['auth'];
  readonly localAddress?: string | undefined;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** connections of this worker */
  readonly maxConnections?: number;
  /** connections to the hosts of one destination */
  readonly maxPerGroup?: number;
  /** messages over one connection */
  readonly maxMessages?: number;
  /** messages in the pool, waiting and under way */
  readonly maxInPool?: number;
  readonly idleMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface PoolStats {
  readonly groups: number;
  readonly connections: number;
  readonly waiting: number;
  readonly inPool: number;
}

const SWEEP_FROM = 1_000;
const SWEEP_MS = 10_000;

/**
 * Connections to remote servers, kept and shared by destinations that have the same hosts. A message is tried at
 * each host of its route, best first, until one decides; bounds on everything; a host that does not answer is left
 * alone for a while.
 */
export class ConnectionPool {
  private readonly groups = new Map<string, MxGroup>();
  private readonly slots: ConnectionSlots;
  private readonly laneOptions: LaneOptions;
  private readonly maxPerGroup: number;
  private readonly maxInPool: number;
  private inPool = 0;
  private sweptAt = 0;
  private closing = false;

  constructor(options: PoolOptions) {
    this.slots = new ConnectionSlots(options.maxConnections ?? 500);
    this.maxPerGroup = options.maxPerGroup ?? 20;
    this.maxInPool = options.maxInPool ?? 10_000;
    const timeouts = { ...SMTP_TIMEOUTS, ...options.timeouts };
    const now = options.now ?? Date.now;
    this.laneOptions = {
      connection: {
        ehloName: options.ehloName,
        tls: options.tls ?? 'opportunistic',
        tlsMemory: new TlsMemory(now),
        timeouts,
        auth: options.auth,
        localAddress: options.localAddress,
      },
      session: { timeouts, maxMessages: options.maxMessages ?? 500 },
      idleMs: options.idleMs ?? 30_000,
      now,
      random: options.random ?? Math.random,
    };
  }

  /** Takes one message to the hosts of its route. Never rejects: whatever the network does is a result. */
  send(route: Route, message: OutgoingMessage): Promise<PoolResult> {
    if (this.closing || this.inPool >= this.maxInPool) {
      const response = this.closing ? 'the worker is stopping' : 'too many messages are under way';
      return Promise.resolve({ kind: 'postponed', notBefore: this.laneOptions.now() + 1_000, response });
    }
    this.inPool++;
    return new Promise((resolve) => {
      const settle = (result: PoolResult) => {
        this.inPool--;
        resolve(result);
      };
      const job = {
        message,
        route,
        resolve: settle,
        tried: new Set<string>(),
        refreshed: false,
        last: undefined,
      };
      this.groupOf(route).dispatch(job);
    });
  }

  stats(): PoolStats {
    const waiting = [...this.groups.values()].reduce((sum, group) => sum + group.waiting, 0);
    return { groups: this.groups.size, connections: this.slots.inUse, waiting, inPool: this.inPool };
  }

  /**
   * Lets what is under way finish, gives back what waits (`postponed`), and closes every connection.
   * @param graceMs after this, connections are cut: their messages come back as `connection-lost`
   */
  async close(graceMs = 5_000): Promise<void> {
    this.closing = true;
    const groups = [...this.groups.values()];
    const cut = setTimeout(() => groups.forEach((group) => group.abort()), graceMs);
    // Even a connection that is just being opened to a host that does not answer must not hold up the end.
    const enough = new Promise<void>((resolve) => setTimeout(resolve, graceMs + 500).unref());
    await Promise.all(groups.map((group) => group.close()));
    await Promise.race([this.slots.emptied(), enough]);
    clearTimeout(cut);
  }

  private groupOf(route: Route): MxGroup {
    const key = groupKey(route);
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    this.sweep();
    const group = new MxGroup(route.port, this.slots, this.maxPerGroup, this.laneOptions);
    this.groups.set(key, group);
    return group;
  }

  /** Destinations without connections, messages or a back-off are forgotten. */
  private sweep(): void {
    const now = this.laneOptions.now();
    if (this.groups.size < SWEEP_FROM || now - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = now;
    for (const [key, group] of this.groups) if (group.forgettable) this.groups.delete(key);
  }
}
