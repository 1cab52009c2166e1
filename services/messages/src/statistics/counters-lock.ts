import type { EntityManager } from 'typeorm';

/**
 * Locks the counters against other writers until the end of the transaction: a fact must not be added to a day while
 * the day is being rolled up. A process without the lock leaves the work to its holder.
 */
export async function tryLockCounters(tx: EntityManager): Promise<boolean> {
  const [row]: { locked: boolean }[] = await tx.query(
    `select pg_try_advisory_xact_lock(hashtextextended('messages.statistics-counters', 0)) as locked`,
  );
  return row?.locked ?? false;
}
