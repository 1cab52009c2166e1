import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '@postmesh/database';

/** Suspensions and windows are shared: the database's clock decides, as it does for leases and due times. */
@Injectable()
export class ShapingClock {
  private time: (() => number) | undefined;

  constructor(private readonly clock: DatabaseClock) {}

  /** Unix ms */
  now(): number {
    return this.time?.() ?? this.clock.now();
  }

  /** @param databaseMs what the database's clock said just now */
  follow(databaseMs: number): void {
    this.clock.follow(databaseMs);
  }

  /** Tests move the time themselves. */
  use(time: () => number): void {
    this.time = time;
  }
}
