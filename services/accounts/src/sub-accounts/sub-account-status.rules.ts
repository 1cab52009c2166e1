import { accountState, type StateColumns } from '../account/account-state.rules.js';
import type { SubAccountStatus } from './sub-account.schema.js';

/**
 * What a parent sees of the state of a child (spec 1-platform §10.2). That the operator does not even let it
 * authenticate has no word of its own there: it is suspended, and not by the parent.
 */
export function subAccountStatus(child: StateColumns, parent: StateColumns): SubAccountStatus {
  const state = accountState(child, parent);
  return state === 'blocked' ? 'suspended' : state;
}
