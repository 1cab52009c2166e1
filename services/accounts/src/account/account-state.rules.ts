import type { AccountEntity } from '../database/entities/index.js';

export const ACCOUNT_STATES = ['active', 'suspended', 'parent-suspended', 'blocked', 'deleted'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export type StateColumns = Pick<AccountEntity, 'suspendedAt' | 'blockedAt' | 'deletedAt'>;

/**
 * The state of an account (spec 1-platform §2.5, §10.2): the gravest of its own, then its parent's
 * suspension. An account whose parent is blocked or deleted is no better off than its parent.
 */
export function accountState(own: StateColumns, parent: StateColumns | undefined): AccountState {
  const above = parent && accountState(parent, undefined);
  if (own.deletedAt || above === 'deleted') return 'deleted';
  if (own.blockedAt || above === 'blocked') return 'blocked';
  if (own.suspendedAt) return 'suspended';
  return above === 'suspended' ? 'parent-suspended' : 'active';
}
