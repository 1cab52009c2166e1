import type { EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';

const OF_ACCOUNT = `hashtext('webhooks of an account'), hashtext($1)`;

/**
 * For a transaction that adds a webhook or a route to the account: a concurrent deletion of the account waits for it.
 * @throws ApiError 401 when the account is deleted, like any later request of it
 */
export async function requirePresent(manager: EntityManager, accountId: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock_shared(${OF_ACCOUNT})`, [accountId]);
  const gone: unknown[] = await manager.query('select from deleted_accounts where account_id = $1', [
    accountId,
  ]);
  if (gone.length > 0) throw ApiErrors.invalidKey();
}

/** Transactions that add a webhook or a route have committed before this, or fail. */
export async function recordDeletion(manager: EntityManager, accountId: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(${OF_ACCOUNT})`, [accountId]);
  await manager.query('insert into deleted_accounts (account_id) values ($1) on conflict do nothing', [
    accountId,
  ]);
}
