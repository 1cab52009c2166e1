import type { AccountChanged } from '@postmesh/contracts';

type AccountState = (typeof AccountChanged.examples)[number]['state'];

/** Why deliveries of an account in such a state are suspended, for people. */
const REASONS = {
  suspended: 'the account is suspended',
  'parent-suspended': 'the parent account is suspended',
  blocked: 'the account is blocked by the operator',
} as const satisfies Partial<Record<AccountState, string>>;

export const SUSPENDING_STATES = Object.keys(REASONS);
export const SUSPENSION_REASONS: string[] = Object.values(REASONS);

/** @returns undefined when the account may send; an account of which nothing was told may */
export const suspensionReason = (state: string | null | undefined): string | undefined =>
  (REASONS as Record<string, string>)[state ?? 'active'];
