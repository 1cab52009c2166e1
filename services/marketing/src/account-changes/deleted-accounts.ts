import type { EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';

const OF_ACCOUNT = `hashtext('marketing of an account'), hashtext($1)`;

/**
 * For a transaction that writes for an account: the account's end waits for it, so nothing is added behind the back of
 * what removes its rows. Call it before any row is locked.
 * @throws ApiError 401 when the account is deleted, as its next request will be answered
 */
export async function requirePresent(tx: EntityManager, accountId: string): Promise<void> {
  if (!(await isPresent(tx, accountId))) throw ApiErrors.invalidKey();
}

/** The same for work that nobody waits for: it ends without a word when the account is deleted. */
export async function isPresent(tx: EntityManager, accountId: string): Promise<boolean> {
  await tx.query(`select pg_advisory_xact_lock_shared(${OF_ACCOUNT})`, [accountId]);
  const gone: unknown[] = await tx.query('select from deleted_accounts where account_id = $1', [accountId]);
  return gone.length === 0;
}

/** Whoever writes for the account has done so before this, or is refused. */
export async function recordDeletion(tx: EntityManager, accountId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${OF_ACCOUNT})`, [accountId]);
  await tx.query('insert into deleted_accounts (account_id) values ($1) on conflict do nothing', [accountId]);
}
