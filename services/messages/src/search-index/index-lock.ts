import type { EntityManager } from 'typeorm';

/**
 * Locks the index against sealing and status changes by other processes until the end of the transaction: a change of a
 * message must not be dropped as one outside of all segments while its segment is being written.
 */
export async function tryLockSearchIndex(tx: EntityManager): Promise<boolean> {
  const [row]: { locked: boolean }[] = await tx.query(
    `select pg_try_advisory_xact_lock(hashtextextended('messages.search-index', 0)) as locked`,
  );
  return row?.locked ?? false;
}
