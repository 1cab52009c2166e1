import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '@postmesh/database';

/** Suspensions and windows are shared, so they use the database's clock, as leases and due times do. */
@Injectable()
export class ShapingClock {
  private time: (() => number) | undefined;

  constructor(private readonly clock: DatabaseClock) {}

  /** Unix ms */
  now(): number {
    return this.time?.() ?? this.clock.now();
  }

  /** @param databaseMs a reading of the database's clock @param askedAt `performance.now()` before its statement */
  follow(databaseMs: number, askedAt: number): void {
    this.clock.follow(databaseMs, askedAt);
  }

  /** For tests, which move the time. */
  use(time: () => number): void {
    this.time = time;
  }
}
