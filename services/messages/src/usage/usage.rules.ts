import { ApiError, type AccountFacts, type AccountId } from '@postmesh/contracts';

/** The facts of an account for its credit; every request carries them. */
export type CreditFacts = Pick<AccountFacts, 'parent_account_id' | 'monthly_credit' | 'credit_pool'>;

/** The cost of a request at acceptance: one per recipient (spec 1-platform §10.4 rule 6). */
export interface UsageClaim {
  accountId: AccountId;
  credit: CreditFacts;
  count: number;
  at: Date;
}

/** One row of `usage`, without its slot. */
export interface UsageRow {
  accountId: AccountId;
  wholeFamily: boolean;
  period: string;
  familyId: AccountId;
  accepted: number;
  lastAcceptedAt: Date;
}

/** The calendar month, UTC, in which it counts: `2026-03` (spec 1-platform §10.5 rule 1). */
export const usagePeriod = (at: Date): string => at.toISOString().slice(0, 7);

/** The top-level account of the account, or itself. */
export const familyOf = ({ accountId, credit }: Pick<UsageClaim, 'accountId' | 'credit'>): AccountId =>
  (credit.parent_account_id as AccountId | null) ?? accountId;

/** Whether a limit is set: only then must the family be locked and its use be read. */
export const isCapped = (credit: CreditFacts): boolean =>
  credit.monthly_credit > 0 || credit.credit_pool !== null;

export const monthlyLimitReached = () => new ApiError(403, 'monthly sending limit reached');

/**
 * The claims that fit into the credit of their accounts and pools, each as a whole, in their order; a claim that does
 * not fit uses nothing, so that a smaller one after it may still fit (spec 1-platform §10.4 rules 6 and 7).
 * @param used accepted so far, by `usageKey`; admitted claims are added
 */
export function admitWithin(claims: readonly UsageClaim[], used: Map<string, number>): boolean[] {
  return claims.map((claim) => {
    const limits = limitsOf(claim);
    const fits = limits.every(({ key, limit }) => (used.get(key) ?? 0) + claim.count <= limit);
    if (fits) for (const { key } of limits) used.set(key, (used.get(key) ?? 0) + claim.count);
    return fits;
  });
}

/** Both counts of a claim with their limits. */
function limitsOf(claim: UsageClaim): { key: string; limit: number }[] {
  const { accountId, credit } = claim;
  const period = usagePeriod(claim.at);
  const own = credit.monthly_credit > 0 ? credit.monthly_credit : Number.POSITIVE_INFINITY;
  const pool = credit.credit_pool?.monthly_credit ?? Number.POSITIVE_INFINITY;
  return [
    { key: usageKey({ accountId, wholeFamily: false, period }), limit: own },
    { key: usageKey({ accountId: familyOf(claim), wholeFamily: true, period }), limit: pool },
  ];
}

/** The credit of a month, of an account or of the pool that it shares. */
export interface Credit {
  pool: boolean;
  limit: number;
  used: number;
}

/** The credits that bound an account; none where it may send any number. */
export const creditsOf = (claim: UsageClaim, used: ReadonlyMap<string, number>): Credit[] =>
  limitsOf(claim).flatMap(({ key, limit }, at) =>
    Number.isFinite(limit) ? [{ pool: at === 1, limit, used: used.get(key) ?? 0 }] : [],
  );

/** The rows of the claims: each counts for its account and for its family, one row per month of either. */
export function usageRows(claims: readonly UsageClaim[]): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const claim of claims) {
    const familyId = familyOf(claim);
    const period = usagePeriod(claim.at);
    for (const wholeFamily of [false, true]) {
      const accountId = wholeFamily ? familyId : claim.accountId;
      const key = usageKey({ accountId, wholeFamily, period });
      const row = rows.get(key);
      if (!row) {
        const { count: accepted, at: lastAcceptedAt } = claim;
        rows.set(key, { accountId, wholeFamily, period, familyId, accepted, lastAcceptedAt });
      } else {
        row.accepted += claim.count;
        if (row.lastAcceptedAt < claim.at) row.lastAcceptedAt = claim.at;
      }
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
