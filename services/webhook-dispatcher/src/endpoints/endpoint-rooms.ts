import { Inject, Injectable } from '@nestjs/common';
import { Permits } from '@postmesh/concurrency';
import type { GroupRooms } from '@postmesh/leased-queue';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { endpointOf } from '../queue/webhook-deliveries.table.js';
import { EndpointStates } from './endpoint-states.js';

/** Of a dispatcher's places: as many may wait for endpoints that do not answer. */
const OPEN_SHARE = 4;

/**
 * How many attempts of an endpoint may be made at once. One that is open has one at a time, and all open ones together a
 * quarter of the places, in turns: however many endpoints are dead, three quarters are there for the others.
 */
@Injectable()
export class EndpointRooms implements GroupRooms {
  readonly others: number;
  private readonly mostOpen: number;
  private readonly inFlight = new Permits(Number.POSITIVE_INFINITY);
  /** open endpoints that may be called since the last claim */
  private turn: ReadonlySet<string> = new Set();

  constructor(
    private readonly states: EndpointStates,
    @Inject(SETTINGS) { webhookPerEndpoint, webhookConcurrency }: Settings,
  ) {
    this.others = webhookPerEndpoint;
    this.mostOpen = Math.max(1, Math.floor(webhookConcurrency / OPEN_SHARE));
  }

  of(groupKey: string): number {
    const endpointId = endpointOf(groupKey);
    if (!this.states.isOpen(endpointId)) return this.others;
    if (this.inFlight.inUseOf(endpointId) > 0) return 1;
    return this.turn.has(endpointId) && this.openBusy() < this.mostOpen ? 1 : 0;
  }

  /** Of a claim: those that are open, and whose turn it is among them. */
  entries(): Iterable<readonly [string, number]> {
    const open = this.states.openOnes();
    const free = Math.max(0, this.mostOpen - this.openBusy());
    const waiting = [...open.keys()].filter((endpointId) => this.inFlight.inUseOf(endpointId) === 0);
    this.turn = new Set(waiting.slice(0, free));
    return [...open.values()].map((groupKey) => [groupKey, this.of(groupKey)] as const);
  }

  /** An attempt begins: its end is to be told. */
  begin(endpointId: string): void {
    this.inFlight.occupy(endpointId);
    this.states.called(endpointId);
  }

  end(endpointId: string): void {
    this.inFlight.release(endpointId);
  }

  /** Open endpoints with an attempt in flight. */
  private openBusy(): number {
    return [...this.inFlight.entries()].filter(([endpointId]) => this.states.isOpen(endpointId)).length;
  }
}
