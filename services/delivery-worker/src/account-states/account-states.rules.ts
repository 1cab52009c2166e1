import type { AccountChanged } from '@postmesh/contracts';

type AccountState = (typeof AccountChanged.examples)[number]['state'];

/** Why deliveries of an account in such a state are held, for people. */
const HOLD_REASONS = {
  suspended: 'the account is suspended',
  'parent-suspended': 'the parent account is suspended',
  blocked: 'the account is blocked by the operator',
} as const satisfies Partial<Record<AccountState, string>>;

export const HOLDING_STATES = Object.keys(HOLD_REASONS);
export const HOLDING_REASONS: string[] = Object.values(HOLD_REASONS);

/** @returns undefined when the account may send; an account of which nothing was heard may */
export const holdReason = (state: string | null | undefined): string | undefined =>
  (HOLD_REASONS as Record<string, string>)[state ?? 'active'];
