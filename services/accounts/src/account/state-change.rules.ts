import type { AccountEntity } from '../database/entities/index.js';

/** What the operator can do to an account (spec 1-platform §2.5). */
export const STATE_ACTIONS = ['suspend', 'resume', 'block', 'unblock'] as const;
export type StateAction = (typeof STATE_ACTIONS)[number];

type Columns = Pick<
  AccountEntity,
  'suspendedAt' | 'suspendedBy' | 'suspensionReason' | 'parentSuspension' | 'blockedAt' | 'blockReason'
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
      return account.suspendedBy === 'operator' ? undefined : suspension(account, reason, now);
    case 'resume':
      return account.suspendedAt ? resumption(account) : undefined;
    case 'block':
      return account.blockedAt ? undefined : { blockedAt: now, blockReason: reason };
    case 'unblock':
      return account.blockedAt ? { blockedAt: null, blockReason: null } : undefined;
  }
}

/** The operator's goes before one by the parent, which cannot lift it; the parent's is kept for afterwards. */
function suspension(account: Columns, reason: string, now: Date): Partial<Columns> {
  const { suspendedAt, suspensionReason } = account;
  return {
    suspendedAt: now,
    suspendedBy: 'operator',
    suspensionReason: reason,
    parentSuspension: suspendedAt && { at: suspendedAt.toISOString(), reason: suspensionReason ?? '' },
  };
}

/** What the parent suspended before the operator did stays suspended by the parent. */
function resumption({ parentSuspension: kept }: Columns): Partial<Columns> {
  return {
    suspendedAt: kept && new Date(kept.at),
    suspendedBy: kept && 'parent',
    suspensionReason: kept && kept.reason,
    parentSuspension: null,
  };
}
