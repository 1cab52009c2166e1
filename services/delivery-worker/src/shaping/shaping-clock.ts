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

  /** @param databaseMs the time of the database's clock just now */
  follow(databaseMs: number): void {
    this.clock.follow(databaseMs);
  }

  /** For tests, which move the time. */
  use(time: () => number): void {
    this.time = time;
  }
}
