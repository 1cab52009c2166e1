import { allocate, pooledCents } from './allocation.rules.js';
import type { BillingPeriod } from './billing-period.rules.js';
import type { SubAccountUsage } from './usage.schema.js';

export interface FamilyFacts {
  period: BillingPeriod;
  parentId: string;
  /** those that are not deleted, oldest first */
  children: readonly { id: string; name: string }[];
  /** messages by account; of the parent and every child that it ever had */
  used: ReadonlyMap<string, number>;
}

export interface Price {
  perMessage: number;
  currency: string;
}

const NOTE =
  'Each allocated cost is a share of the pooled cost of the whole account in proportion to the messages accepted, not stand-alone pricing.';

/** What a family used and how its cost is shared (spec 1-platform §10.5). */
export function usageReport(
  { period, parentId, children, used }: FamilyFacts,
  price: Price,
): SubAccountUsage {
  const countOf = (id: string) => used.get(id) ?? 0;
  const total = sum([...used.values()]);
  const present = [countOf(parentId), ...children.map(({ id }) => countOf(id))];
  // whoever is of the family and not there any more was deleted, and stays part of the total
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
