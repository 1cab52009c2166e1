import type { DataSource } from 'typeorm';
import type { AccountId, RecentChange, RecentChanges } from '@postmesh/contracts';

/**
 * Reads the response to `recentChangesPath`.
 * @param changed SQL that gives `kind`, `id`, `state` and `at` of the resources of account $1 that have changed since $2
 */
export async function readRecentChanges(
  dataSource: DataSource,
  changed: string,
  { accountId, since }: { accountId: AccountId; since: string },
): Promise<RecentChanges> {
  const rows: (Omit<RecentChange, 'at'> & { at: Date })[] = await dataSource.query(changed, [
    accountId,
    since,
  ]);
  return { changes: rows.map((row) => ({ ...row, at: row.at.toISOString() })) };
}
