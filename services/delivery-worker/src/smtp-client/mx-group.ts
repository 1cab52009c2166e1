import type { ConnectionSlots } from './connection-slots.js';
import { HostLane } from './host-lane.js';
import type { LaneGroup, LaneOptions } from './host-lane.js';
import type { PoolJob } from './pool-job.js';
import type { RouteHost } from './route.js';

interface Candidate {
  readonly host: RouteHost;
  readonly lane: HostLane;
}

/** All hosts that take mail for the same destinations: a message goes down them until one decides. */
export class MxGroup implements LaneGroup {
  private readonly lanes = new Map<string, HostLane>();
  connections = 0;
  closing = false;

  constructor(
    readonly port: number,
    readonly slots: ConnectionSlots,
    private readonly mostConnections: number,
    private readonly laneOptions: LaneOptions,
  ) {}

  get waiting(): number {
    return [...this.lanes.values()].reduce((sum, lane) => sum + lane.waiting, 0);
  }

  get forgettable(): boolean {
    return [...this.lanes.values()].every((lane) => lane.forgettable);
  }

  /** Every lane may have one connection, or a message on its way down the hosts would wait behind the others. */
  mayGrow(lane: HostLane): boolean {
    return !this.closing && (this.connections < this.mostConnections || lane.size === 0);
  }

  dispatch(job: PoolJob): void {
    const left = job.route.hosts
      .filter((host) => !job.tried.has(host.name))
      .map((host): Candidate => ({ host, lane: this.laneOf(host) }));
    const open = left.filter(({ lane }) => lane.retryAt === 0);
    if (open.length === 0 || this.closing) return this.giveUp(job, left);
    const best = Math.min(...open.map(({ host }) => host.preference));
    const equals = open.filter(({ host }) => host.preference === best);
    const chosen = equals.find(({ lane }) => lane.hasIdle) ?? equals[0];
    chosen?.lane.enqueue(job, chosen.host);
    return undefined;
  }

  /** Ends what waits; what is under way may finish. */
  async close(): Promise<void> {
    this.closing = true;
    for (const lane of this.lanes.values()) for (const job of lane.drain()) this.giveUp(job, []);
    await Promise.all([...this.lanes.values()].map((lane) => lane.quit()));
  }

  abort(): void {
    for (const lane of this.lanes.values()) lane.abort();
  }

  private giveUp(job: PoolJob, left: readonly Candidate[]): void {
    if (job.last !== undefined) return job.resolve(job.last);
    const now = this.laneOptions.now();
    const notBefore = this.closing ? now : Math.min(...left.map(({ lane }) => lane.retryAt));
    const response = this.closing
      ? 'the worker is stopping'
      : 'every host of the destination failed shortly before; they are left alone for a while';
    return job.resolve({
      kind: 'postponed',
      notBefore: Number.isFinite(notBefore) ? notBefore : now,
      response,
    });
  }

  private laneOf(host: RouteHost): HostLane {
    const known = this.lanes.get(host.name);
    if (known !== undefined) return known;
    const lane = new HostLane(host, this, this.laneOptions);
    this.lanes.set(host.name, lane);
    return lane;
  }
}
