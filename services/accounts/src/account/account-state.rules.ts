import { AccountChanged } from '@postmesh/accounts-contract';
import type { AccountEntity } from './account.entity.js';

export const ACCOUNT_STATES = ['active', 'suspended', 'parent-suspended', 'blocked', 'deleted'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export type StateColumns = Pick<AccountEntity, 'suspendedAt' | 'blockedAt' | 'deletedAt'>;

/**
 * The state of an account (spec 1-platform §2.5, §10.2): the gravest of its own, then its parent's
 * suspension. A child of a blocked or deleted account has the state of its parent.
 */
export function accountState(own: StateColumns, parent: StateColumns | null | undefined): AccountState {
  const above = parent && accountState(parent, undefined);
  if (own.deletedAt || above === 'deleted') return 'deleted';
  if (own.blockedAt || above === 'blocked') return 'blocked';
  if (own.suspendedAt) return 'suspended';
  return above === 'suspended' ? 'parent-suspended' : 'active';
}

/** The facts of an account for the other services: in an event after a change, in a page at their start. */
export function accountFact(account: AccountEntity, parent: AccountEntity | null | undefined) {
  return {
    account_id: account.id,
    parent_account_id: account.parentAccountId,
    state: accountState(account, parent),
    revision: account.revision,
  };
}

export const accountChanged = (account: AccountEntity, parent: AccountEntity | undefined) =>
  AccountChanged.make(accountFact(account, parent), { account_id: account.id });
