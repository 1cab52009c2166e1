import type { EntityManager } from 'typeorm';

/**
 * Until the end of the transaction nobody else seals segments or changes their statuses: a change of a message must not
 * be dropped as one outside of all segments while its segment is being made.
 */
export async function tryLockSearchIndex(tx: EntityManager): Promise<boolean> {
  const [row]: { locked: boolean }[] = await tx.query(
    `select pg_try_advisory_xact_lock(hashtextextended('messages.search-index', 0)) as locked`,
  );
  return row?.locked ?? false;
}
