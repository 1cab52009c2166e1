import type { AccountEntity } from '../database/entities/index.js';

/** What the operator can do to an account (spec 1-platform §2.5). */
export const STATE_ACTIONS = ['suspend', 'resume', 'block', 'unblock'] as const;
export type StateAction = (typeof STATE_ACTIONS)[number];

type Columns = Pick<
  AccountEntity,
  'suspendedAt' | 'suspendedBy' | 'suspensionReason' | 'blockedAt' | 'blockReason'
>;

/** @returns the columns that change; undefined when the account is in that state already */
export function stateChange(
  account: Columns,
  action: StateAction,
  reason: string,
  now: Date,
): Partial<Columns> | undefined {
  switch (action) {
    case 'suspend':
      // a suspension by the parent becomes the operator's, so that the parent cannot lift it
      return account.suspendedBy === 'operator'
        ? undefined
        : { suspendedAt: now, suspendedBy: 'operator', suspensionReason: reason };
    case 'resume':
      return account.suspendedAt
        ? { suspendedAt: null, suspendedBy: null, suspensionReason: null }
        : undefined;
    case 'block':
      return account.blockedAt ? undefined : { blockedAt: now, blockReason: reason };
    case 'unblock':
      return account.blockedAt ? { blockedAt: null, blockReason: null } : undefined;
  }
}
