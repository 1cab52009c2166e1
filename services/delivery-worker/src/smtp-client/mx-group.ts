import type { ConnectionPermits } from './connection-permits.js';
import { HostPool } from './host-pool.js';
import type { GroupTarget, HostGroup, HostPoolOptions, PoolJob } from './host-pool.js';
import { hostKey } from './route.js';
import type { RouteHost } from './route.js';
import { postponed } from './smtp-outcome.js';

// Providers with a host name per customer have many: idle ones are removed.
const SWEEP_HOSTS_FROM = 100;
// Other workers have all permitted connections: one of them is to claim the messages of this one.
const LEAVE_TO_OTHERS_MS = 1_000;
// Deliveries of a suspended group that are claimed shortly after it go back into their line, ready when an operator
// resumes it.
const SUSPENDED_MS = 60_000;
// Delay of a message that found no connection during a whole attempt.
const AGAIN_MS = 60_000;
// Half of the messages that a worker claims for each connection.
const ENOUGH_PER_CONNECTION = 4;

/**
 * All hosts of the same destinations, from one source address: a message is tried at one after another until one
 * decides. They share the connections and the pace that the group's limits allow.
 */
export class MxGroup implements HostGroup {
  private readonly pools = new Map<string, HostPool>();
  /** hosts without a connection whose messages wait for a connection of another host */
  private readonly line = new Set<HostPool>();
  private inFlight = 0;
  private resuming: NodeJS.Timeout | undefined;
  closing = false;

  constructor(
    readonly target: GroupTarget,
    readonly permits: ConnectionPermits,
    private readonly options: HostPoolOptions,
  ) {}

  get waiting(): number {
    return [...this.pools.values()].reduce((sum, pool) => sum + pool.waiting, 0);
  }

  /** Every permitted connection is in use, and enough messages wait for them. */
  get isFull(): boolean {
    const most = this.maxConnections;
    return this.permits.inUseOf(this) >= most && this.waiting >= most * ENOUGH_PER_CONNECTION;
  }

  /** A message is with a host, or waits for one. */
  get isBusy(): boolean {
    return this.inFlight > 0 || this.waiting > 0;
  }

  get forgettable(): boolean {
    return [...this.pools.values()].every((pool) => pool.forgettable);
  }

  get isWanted(): boolean {
    for (const pool of this.line) {
      if (pool.waiting > 0) return true;
      this.line.delete(pool);
    }
    return false;
  }

  tryConnect(pool: HostPool): boolean {
    if (this.closing) return false;
    if (this.permits.inUseOf(this) >= this.maxConnections) {
      this.waitInLine(pool);
      return false;
    }
    if (!this.permits.tryAcquire(this, pool)) return false;
    this.line.delete(pool);
    this.tellUse();
    return true;
  }

  disconnected(): void {
    this.permits.release(this);
    this.tellUse();
    for (const pool of this.line) {
      if (this.permits.inUseOf(this) >= this.maxConnections) return;
      this.line.delete(pool);
      pool.grow();
    }
  }

  tryBegin(): boolean {
    const { groupKey, source } = this.target;
    const waitMs = this.options.limits.takeTurn(groupKey, source, this.inFlight);
    if (waitMs > 0) {
      this.resuming ??= setTimeout(() => this.resume(), waitMs).unref();
      return false;
    }
    this.inFlight++;
    return true;
  }

  ended(): void {
    this.inFlight--;
  }

  dispatch(job: PoolJob): void {
    const left = job.route.hosts
      .filter((host) => !job.tried.has(hostKey(host)))
      .map((host) => ({ host, pool: this.poolOf(host) }));
    const open = left.filter(({ host, pool }) => pool.retryAt(host) === 0);
    if (open.length === 0 || this.closing || job.overdue) return this.giveUp(job, left);
    if (this.postpones(job)) return undefined;
    const best = Math.min(...open.map(({ host }) => host.preference));
    const equals = open.filter(({ host }) => host.preference === best);
    const chosen = equals.find(({ host, pool }) => pool.hasIdle(host)) ?? equals[0];
    chosen?.pool.enqueue(job, chosen.host);
    return undefined;
  }

  /** Gives a message back that is suspended now. No host was asked, unless one was before. */
  postpones(job: PoolJob): boolean {
    const { groupKey, source } = this.target;
    const wait = this.options.limits.waitOf(groupKey, source, job.sender);
    if (wait !== undefined) {
      const until = wait.until.getTime();
      const notBefore = wait.isNarrow ? until : Math.min(until, this.options.now() + SUSPENDED_MS);
      job.resolve(job.last ?? postponed(notBefore, wait.reason));
      return true;
    }
    if (this.maxConnections > 0) return false;
    const response = 'other workers have the connections that its mail host allows';
    job.resolve(job.last ?? postponed(this.options.now() + LEAVE_TO_OTHERS_MS, response));
    return true;
  }

  /** The limits rose, fell, or the group was suspended. */
  onLimitsChanged(): void {
    if (this.closing) return;
    if (this.maxConnections > 0) return this.resume();
    for (const pool of this.pools.values()) {
      while (pool.leaveIdle());
      for (const job of pool.drain()) this.dispatch(job);
    }
  }

  /** Gives back the waiting messages: they may leave by another way. */
  release(reason: string): void {
    for (const pool of this.pools.values())
      for (const job of pool.drain()) job.resolve(job.last ?? postponed(this.options.now(), reason));
  }

  /** Gives up the waiting messages; those in flight may finish. */
  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.resuming);
    for (const pool of this.pools.values()) for (const job of pool.drain()) this.giveUp(job, []);
    await Promise.all([...this.pools.values()].map((pool) => pool.quit()));
  }

  abort(): void {
    for (const pool of this.pools.values()) pool.abort();
  }

  private get maxConnections(): number {
    const { groupKey, source } = this.target;
    return this.options.limits.connectionsOf(groupKey, source);
  }

  /** A host with a connection keeps to it; a host without one gets the next that another host leaves. */
  private waitInLine(pool: HostPool): void {
    if (pool.size > 0 || this.line.has(pool)) return;
    this.line.add(pool);
    for (const other of this.pools.values()) if (other !== pool && other.leaveIdle()) return;
  }

  private tellUse(): void {
    const { groupKey, source } = this.target;
    this.options.limits.using(groupKey, source, this.permits.inUseOf(this));
  }

  private resume(): void {
    clearTimeout(this.resuming);
    this.resuming = undefined;
    for (const pool of this.pools.values()) pool.resume();
  }

  private giveUp(job: PoolJob, left: readonly { host: RouteHost; pool: HostPool }[]): void {
    if (job.last !== undefined) return job.resolve(job.last);
    const now = this.options.now();
    if (this.closing) return job.resolve(postponed(now, 'the worker is stopping'));
    if (job.overdue) return job.resolve(postponed(now + AGAIN_MS, 'no connection became free for it'));
    const retryAt = Math.min(...left.map(({ host, pool }) => pool.retryAt(host)));
    const response = 'every host of the destination failed shortly before; they are left alone for a while';
    return job.resolve(postponed(Number.isFinite(retryAt) ? retryAt : now, response));
  }

  private poolOf(host: RouteHost): HostPool {
    const known = this.pools.get(hostKey(host));
    if (known !== undefined) return known;
    if (this.pools.size >= SWEEP_HOSTS_FROM) {
      for (const [name, pool] of this.pools) if (pool.forgettable) this.pools.delete(name);
    }
    const pool = new HostPool(host.name, this, this.options);
    this.pools.set(hostKey(host), pool);
    return pool;
  }
}
