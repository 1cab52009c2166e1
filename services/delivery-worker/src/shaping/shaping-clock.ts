import { Injectable } from '@nestjs/common';

/** Suspensions and windows are shared: the database's clock decides, as it does for leases and due times. */
@Injectable()
export class ShapingClock {
  private offsetMs = 0;
  private time: (() => number) | undefined;

  /** Unix ms */
  now(): number {
    return this.time?.() ?? Date.now() + this.offsetMs;
  }

  /** @param databaseMs what the database's clock said just now */
  follow(databaseMs: number): void {
    this.offsetMs = databaseMs - Date.now();
  }

  /** Tests move the time themselves. */
  use(time: () => number): void {
    this.time = time;
  }
}
