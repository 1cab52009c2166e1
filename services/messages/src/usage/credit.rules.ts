import { ApiError } from '@postmesh/contracts';
import { familyOf, usageKey, usagePeriod, type UsageClaim } from './usage.rules.js';

export const monthlyLimitReached = () => new ApiError(403, 'monthly sending limit reached');

/**
 * Which claims fit into the credit of their accounts and pools, each as a whole, in their order; what is refused
 * takes nothing, so that a smaller one behind it may still fit (spec 1-platform §10.4 rules 6 and 7).
 * @param used accepted so far, by `usageKey`; what is admitted is added
 */
export function admitWithin(claims: readonly UsageClaim[], used: Map<string, number>): boolean[] {
  return claims.map((claim) => {
    const limits = limitsOf(claim);
    const fits = limits.every(({ key, most }) => (used.get(key) ?? 0) + claim.count <= most);
    if (fits) for (const { key } of limits) used.set(key, (used.get(key) ?? 0) + claim.count);
    return fits;
  });
}

/** Both counts of a claim, with what may be in them at most. */
function limitsOf(claim: UsageClaim): { key: string; most: number }[] {
  const { accountId, credit } = claim;
  const period = usagePeriod(claim.at);
  const own = credit.monthly_credit > 0 ? credit.monthly_credit : Number.POSITIVE_INFINITY;
  const pool = credit.credit_pool?.monthly_credit ?? Number.POSITIVE_INFINITY;
  return [
    { key: usageKey({ accountId, wholeFamily: false, period }), most: own },
    { key: usageKey({ accountId: familyOf(claim), wholeFamily: true, period }), most: pool },
  ];
}
