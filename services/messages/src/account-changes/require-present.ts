import type { EntityManager } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';

/** @throws ApiError 401 for an account that was deleted during its request */
export async function requirePresent(tx: EntityManager, accountId: AccountId): Promise<void> {
  const deleted: unknown[] = await tx.query('select from deleted_accounts where account_id = $1', [
    accountId,
  ]);
  if (deleted.length > 0) throw ApiErrors.invalidKey();
}
