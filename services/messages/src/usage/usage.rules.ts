import type { AccountFacts, AccountId } from '@postmesh/contracts';

/** The facts of an account that its credit hangs on; they travel with every request. */
export type CreditFacts = Pick<AccountFacts, 'parent_account_id' | 'monthly_credit' | 'credit_pool'>;

/** What a request uses up when it is accepted: one per recipient (spec 1-platform §10.4 rule 6). */
export interface UsageClaim {
  accountId: AccountId;
  credit: CreditFacts;
  count: number;
  at: Date;
}

/** One row of `usage`, but for its slot. */
export interface UsageRow {
  accountId: string;
  wholeFamily: boolean;
  period: string;
  familyId: string;
  accepted: number;
  lastAcceptedAt: Date;
}

/** The calendar month, UTC, in which it counts: `2026-03` (spec 1-platform §10.5 rule 1). */
export const usagePeriod = (at: Date): string => at.toISOString().slice(0, 7);

/** The top-level account that the account belongs to, or is. */
export const familyOf = ({ accountId, credit }: Pick<UsageClaim, 'accountId' | 'credit'>): string =>
  credit.parent_account_id ?? accountId;

/** Whether any limit stands: only then must the family be locked and its use be known. */
export const isCapped = (credit: CreditFacts): boolean =>
  credit.monthly_credit > 0 || credit.credit_pool !== null;

/** What the claims write: each counts for its account and for its family, one row per month of either. */
export function usageRows(claims: readonly UsageClaim[]): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const claim of claims) {
    for (const wholeFamily of [false, true]) {
      const familyId = familyOf(claim);
      const accountId = wholeFamily ? familyId : claim.accountId;
      const period = usagePeriod(claim.at);
      const key = usageKey({ accountId, wholeFamily, period });
      const row = rows.get(key);
      rows.set(key, {
        ...{ accountId, wholeFamily, period, familyId },
        accepted: (row?.accepted ?? 0) + claim.count,
        lastAcceptedAt: row && row.lastAcceptedAt > claim.at ? row.lastAcceptedAt : claim.at,
      });
    }
  }
  return [...rows.values()];
}

export const usageKey = ({
  accountId,
  wholeFamily,
  period,
}: Pick<UsageRow, 'accountId' | 'wholeFamily' | 'period'>): string =>
  `${wholeFamily ? 'family' : 'account'} ${accountId} ${period}`;
