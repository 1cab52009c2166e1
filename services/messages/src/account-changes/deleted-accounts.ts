import type { EntityManager } from 'typeorm';

/** A deleted account has no writers: its lists are deleted and stay empty. @returns the deleted ones of the accounts */
export async function deletedAccounts(
  tx: EntityManager,
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows: { id: string }[] = await tx.query(
    'select account_id as id from deleted_accounts where account_id = any($1::uuid[])',
    [[...new Set(accountIds)]],
  );
  return new Set(rows.map(({ id }) => id));
}
