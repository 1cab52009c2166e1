import type { EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';

const OF_ACCOUNT = `hashtext('marketing of an account'), hashtext($1)`;

/**
 * For a transaction that writes for an account: a concurrent deletion of the account waits for it, so no row is added
 * after its rows were removed. Call it before any row is locked.
 * @throws ApiError 401 when the account is deleted, like any later request of it
 */
export async function requirePresent(tx: EntityManager, accountId: string): Promise<void> {
  if (!(await isPresent(tx, accountId))) throw ApiErrors.invalidKey();
}

/** The same for background work: returns false instead of an error when the account is deleted. */
export async function isPresent(tx: EntityManager, accountId: string): Promise<boolean> {
  await tx.query(`select pg_advisory_xact_lock_shared(${OF_ACCOUNT})`, [accountId]);
  const gone: unknown[] = await tx.query('select from deleted_accounts where account_id = $1', [accountId]);
  return gone.length === 0;
}

/** Transactions that write for the account have committed before this, or fail. */
export async function recordDeletion(tx: EntityManager, accountId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${OF_ACCOUNT})`, [accountId]);
  await tx.query('insert into deleted_accounts (account_id) values ($1) on conflict do nothing', [accountId]);
}
