import type { EntityManager } from 'typeorm';
import { AccountFacts, type AccountId } from '@postmesh/contracts';
import { FACT_COLUMNS, factJoins, knownAccount, type FactRow } from '../account/account-facts.js';
import { SignInErrors } from './sign-in.rules.js';

/** The status of an account in the form of principals. @throws ApiError 403 when it was deleted a moment ago */
export async function accountStatus(
  manager: EntityManager,
  accountId: AccountId,
): Promise<AccountFacts['status']> {
  const [row]: FactRow[] = await manager.query(
    `select ${FACT_COLUMNS} from (select $1::uuid as id) given ${factJoins('given.id')}`,
    [accountId],
  );
  const known = row && knownAccount(row);
  if (!known) throw SignInErrors.noAccount();
  return AccountFacts.parse(known.facts).status;
}
