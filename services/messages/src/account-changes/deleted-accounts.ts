import type { EntityManager } from 'typeorm';

/** Nobody can write for an account that is gone: its lists are deleted and stay so. @returns those of them that are */
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
