import type { DataSource, EntityManager } from 'typeorm';

/**
 * The time of the database's clock, for decisions between two statements. Due times and leases are compared with
 * `now()` in SQL, so they are computed from that clock only. Between two readings the monotonic clock of the process
 * advances it: a wrong or jumping time of day on the machine has no effect.
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

  /**
   * The reading was made between the question and now, and a busy process handles it late: the clock stays where it is within
   * that time.
   * @param databaseMs a reading of the database's clock, Unix ms
   * @param askedAt `performance.now()` before its statement
   */
  follow(databaseMs: number, askedAt: number): void {
    const at = performance.now();
    this.readMs = Math.min(Math.max(this.now(), databaseMs), databaseMs + at - askedAt);
    this.readAt = at;
  }
}

/** SQL: the database's clock, Unix ms as a float8; what `DatabaseClock` follows. */
export const DATABASE_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';

/** Reads the database's clock. One round trip: where many decisions are made, a `DatabaseClock` saves it. */
export async function databaseNow(database: Pick<DataSource | EntityManager, 'query'>): Promise<Date> {
  const [row]: { now: Date }[] = await database.query('select clock_timestamp() as now');
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
