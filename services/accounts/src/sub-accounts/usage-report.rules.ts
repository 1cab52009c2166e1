import type { SubAccountUsage } from './sub-account.schema.js';

export interface FamilyFacts {
  period: BillingPeriod;
  parentId: string;
  /** children that are not deleted, oldest first */
  children: readonly { id: string; name: string }[];
  /** messages by account, for the parent and every child that it ever had */
  used: ReadonlyMap<string, number>;
}

export interface Price {
  perMessage: number;
  currency: string;
}

const NOTE =
  'Each allocated cost is a share of the pooled cost of the whole account in proportion to the messages accepted, not stand-alone pricing.';

/** The usage of a family and the shares of its cost (spec 1-platform §10.5). */
export function usageReport(
  { period, parentId, children, used }: FamilyFacts,
  price: Price,
): SubAccountUsage {
  const countOf = (id: string) => used.get(id) ?? 0;
  const total = sum([...used.values()]);
  const present = [countOf(parentId), ...children.map(({ id }) => countOf(id))];
  // messages of deleted children are part of the total
  const counts = [...present, total - sum(present)];
  const cents = pooledCents(total, price.perMessage);
  const costs = allocate(cents, counts).map(inCurrency);
  const part = (at: number) => ({ reception_count: counts[at] ?? 0, allocated_cost: costs[at] ?? 0 });
  return {
    billing_period: { start: period.start.toISOString(), end: period.end.toISOString() },
    currency: price.currency,
    allocation_method: 'proportional',
    allocation_note: NOTE,
    parent: { account_id: parentId, ...part(0) },
    sub_accounts: children.map(({ id, name }, at) => ({ account_id: id, name, ...part(at + 1) })),
    removed_sub_accounts: part(counts.length - 1),
    total: { reception_count: total, allocated_cost: inCurrency(cents) },
  };
}

const inCurrency = (cents: number) => cents / 100;
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Half-open: from the start up to, not including, the end. */
export interface BillingPeriod {
  start: Date;
  end: Date;
  /** `2024-01`, as the messages service counts */
  month: string;
}

/** The calendar month in UTC (spec 1-platform §10.5 rule 1). */
export function billingPeriod(now: Date): BillingPeriod {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const start = new Date(Date.UTC(year, month, 1));
  return { start, end: new Date(Date.UTC(year, month + 1, 1)), month: start.toISOString().slice(0, 7) };
}

// A price has at most this many digits after the point; with 1,000 as the highest price, all stay exact.
const PRICE_DIGITS = 10;
const PRICE_UNITS = 10 ** PRICE_DIGITS;
const UNITS_PER_CENT = BigInt(PRICE_UNITS / 100);

/** The cost of messages in whole cents; half a cent is rounded up. */
export function pooledCents(messages: number, pricePerMessage: number): number {
  const units = BigInt(messages) * BigInt(Math.round(pricePerMessage * PRICE_UNITS));
  return Number((units + UNITS_PER_CENT / 2n) / UNITS_PER_CENT);
}

/**
 * Shares cents in proportion to the usage of each part (spec 1-platform §10.5 rule 5): each part gets the whole cents
 * of its exact share, and the remaining cents go to the parts with the largest remainders, the first of equals first.
 * The shares sum to the total.
 * @param used messages of each part
 * @returns cents of each part, in the same order; all 0 where nothing was used
 */
export function allocate(cents: number, used: readonly number[]): number[] {
  const total = BigInt(used.reduce((sum, one) => sum + one, 0));
  if (total === 0n) return used.map(() => 0);
  const exact = used.map((one) => BigInt(one) * BigInt(cents));
  const shares = exact.map((one) => Number(one / total));
  const left = cents - shares.reduce((sum, one) => sum + one, 0);
  const byLoss = exact
    .map((one, at) => ({ at, lost: one % total }))
    .sort((a, b) => (a.lost === b.lost ? a.at - b.at : a.lost < b.lost ? 1 : -1));
  for (const { at } of byLoss.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}
