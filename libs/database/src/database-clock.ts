import type { DataSource, EntityManager } from 'typeorm';

/**
 * The time by the database's clock, for decisions that are made between two statements. Due times and leases are
 * compared with `now()` in SQL, so they are made from that clock and no other. Between two readings the monotonic clock
 * of the process runs on: a machine whose time of day is wrong, or jumps, moves nothing.
 */
export class DatabaseClock {
  private readAt = performance.now();
  private readMs = Date.now();

  /** Unix ms */
  now(): number {
    return this.readMs + performance.now() - this.readAt;
  }

  date(): Date {
    return new Date(this.now());
  }

  /** @param databaseMs what the database's clock said just now, Unix ms */
  follow(databaseMs: number): void {
    this.readMs = databaseMs;
    this.readAt = performance.now();
  }
}

/** SQL: the database's clock, Unix ms as a float8; what `DatabaseClock` follows. */
export const DATABASE_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';

/** What the database's clock says. One round trip: where many decisions are made, a `DatabaseClock` saves it. */
export async function databaseNow(database: Pick<DataSource | EntityManager, 'query'>): Promise<Date> {
  const [row]: { now: Date }[] = await database.query('select clock_timestamp() as now');
  if (!row) throw new Error('the database says no time');
  return row.now;
}
