import type { EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';

const OF_ACCOUNT = `hashtext('webhooks of an account'), hashtext($1)`;

/**
 * For a transaction that gives the account a webhook or a route: the account's end waits for it.
 * @throws ApiError 401 when the account is deleted, as its next request will be answered
 */
export async function requirePresent(manager: EntityManager, accountId: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock_shared(${OF_ACCOUNT})`, [accountId]);
  const gone: unknown[] = await manager.query('select from deleted_accounts where account_id = $1', [
    accountId,
  ]);
  if (gone.length > 0) throw ApiErrors.invalidKey();
}

/** Whoever adds a webhook or a route has done so before this, or is refused. */
export async function recordDeletion(manager: EntityManager, accountId: string): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(${OF_ACCOUNT})`, [accountId]);
  await manager.query('insert into deleted_accounts (account_id) values ($1) on conflict do nothing', [
    accountId,
  ]);
}
