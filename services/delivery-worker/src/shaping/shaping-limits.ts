import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { GroupLimits, GroupResult, GroupWait, Sender } from './group-limits.port.js';

// An attempt may wait for a connection; this many per connection keep the connections busy.
const ATTEMPTS_PER_CONNECTION = 8;
const PER_CONNECTION = 500;

/** What this worker may use of an MX group from one source now. */
@Injectable()
export class ShapingLimits implements GroupLimits {
  private readonly connections: number;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.connections = settings.deliveryPerDestination;
  }

  /** Attempts at once of a group that is not in `entries`. */
  get others(): number {
    return this.connections * ATTEMPTS_PER_CONNECTION;
  }

  /** Groups with a bound of their own now; 0 = none may begin. */
  entries(): Iterable<readonly [groupKey: string, room: number]> {
    return [];
  }

  of(_groupKey: string): number {
    return this.others;
  }

  connectionsOf(_groupKey: string, _source: string): number {
    return this.connections;
  }

  perConnectionOf(_groupKey: string, _source: string): number {
    return PER_CONNECTION;
  }

  waitOf(_groupKey: string, _source: string, _sender?: Sender): GroupWait | undefined {
    return undefined;
  }

  met(_result: GroupResult): void {}
}
