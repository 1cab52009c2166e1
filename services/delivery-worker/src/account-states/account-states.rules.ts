import type { AccountChanged } from '@postmesh/accounts-contract';

type AccountState = (typeof AccountChanged.examples)[number]['state'];

/** Reasons of suspended deliveries by state of the account, for people. */
const REASONS = {
  suspended: 'the account is suspended',
  'parent-suspended': 'the parent account is suspended',
  blocked: 'the account is blocked by the operator',
} as const satisfies Partial<Record<AccountState, string>>;

export const SUSPENDING_STATES = Object.keys(REASONS);
export const SUSPENSION_REASONS: string[] = Object.values(REASONS);

/** @returns undefined when the account may send; an account without a known state may */
export const suspensionReason = (state: string | null | undefined): string | undefined =>
  (REASONS as Record<string, string>)[state ?? 'active'];
