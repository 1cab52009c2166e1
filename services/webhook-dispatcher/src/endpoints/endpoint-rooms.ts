import { Inject, Injectable } from '@nestjs/common';
import { Permits } from '@postmesh/concurrency';
import type { GroupRooms } from '@postmesh/work';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { endpointOf } from '../queue/webhook-deliveries.table.js';
import { EndpointStates } from './endpoint-states.js';

/** One permit in this many of a dispatcher is for all failing endpoints together. */
const FAILING_SHARE = 4;

/**
 * The limit of concurrent calls per endpoint. A failing one has one call when its probe is due, and all failing ones
 * together a quarter of the permits, in round-robin order: three quarters remain for healthy endpoints.
 */
@Injectable()
export class EndpointRooms implements GroupRooms {
  readonly others: number;
  private readonly mostFailing: number;
  private readonly inFlight = new Permits(Number.POSITIVE_INFINITY);
  /** failing endpoints that may be probed since the last claim */
  private turn: ReadonlySet<string> = new Set();

  constructor(
    private readonly states: EndpointStates,
    @Inject(SETTINGS) { webhookPerEndpoint, webhookConcurrency }: Settings,
  ) {
    this.others = webhookPerEndpoint;
    this.mostFailing = Math.max(1, Math.floor(webhookConcurrency / FAILING_SHARE));
  }

  of(groupKey: string): number {
    const endpointId = endpointOf(groupKey);
    const inUse = this.inFlight.inUseOf(endpointId);
    if (this.states.isPausing(endpointId)) return inUse;
    if (!this.states.isFailing(endpointId)) return this.others;
    if (inUse > 0) return inUse;
    return this.turn.has(endpointId) && this.failingBusy() < this.mostFailing ? 1 : 0;
  }

  /** For a claim: the endpoints with a limit of their own. */
  entries(): Iterable<readonly [string, number]> {
    const limited = [...this.states.limited()];
    const free = Math.max(0, this.mostFailing - this.failingBusy());
    const due = limited
      .map(([endpointId]) => endpointId)
      .filter((id) => !this.states.isPausing(id) && this.inFlight.inUseOf(id) === 0);
    this.turn = new Set(due.slice(0, free));
    return limited.map(([, groupKey]) => [groupKey, this.of(groupKey)] as const);
  }

  /** A call begins; its end is reported by `end`. */
  begin(endpointId: string): void {
    this.inFlight.occupy(endpointId);
    this.states.called(endpointId);
  }

  end(endpointId: string): void {
    this.inFlight.release(endpointId);
    // a call may take longer than the shortest pause between two
    this.states.called(endpointId);
  }

  /** Failing endpoints with a call in flight. */
  private failingBusy(): number {
    return [...this.inFlight.entries()].filter(([endpointId]) => this.states.isFailing(endpointId)).length;
  }
}
