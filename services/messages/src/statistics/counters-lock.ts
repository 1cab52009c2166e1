import type { EntityManager } from 'typeorm';

/**
 * Until the end of the transaction nobody else writes counters: a fact must not be added to a day while the day is
 * being rolled up. Whoever does not get it leaves the work to whoever has it.
 */
export async function tryLockCounters(tx: EntityManager): Promise<boolean> {
  const [row]: { locked: boolean }[] = await tx.query(
    `select pg_try_advisory_xact_lock(hashtextextended('messages.statistics-counters', 0)) as locked`,
  );
  return row?.locked ?? false;
}
