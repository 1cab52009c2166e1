import { describe, expect, it } from 'vitest';
import { billingPeriod } from './billing-period.rules.js';
import { usageReport } from './usage-report.rules.js';

const period = billingPeriod(new Date('2024-01-15T00:00:00Z'));
const FREE = { perMessage: 0, currency: 'usd' };

function report(used: Record<string, number>, price = FREE) {
  const children = [
    { id: 'old', name: 'Old' },
    { id: 'new', name: 'New' },
  ];
  return usageReport({ period, parentId: 'parent', children, used: new Map(Object.entries(used)) }, price);
}

describe('§10.5 the usage report', () => {
  it('is the one of the contract', () => {
    expect(report({ parent: 1_000_000, old: 3_000_000 }, { perMessage: 0.00002, currency: 'eur' })).toEqual({
      billing_period: { start: '2024-01-01T00:00:00.000Z', end: '2024-02-01T00:00:00.000Z' },
      currency: 'eur',
      allocation_method: 'proportional',
      allocation_note: expect.stringContaining('pooled cost'),
      parent: { account_id: 'parent', reception_count: 1_000_000, allocated_cost: 20 },
      sub_accounts: [
        { account_id: 'old', name: 'Old', reception_count: 3_000_000, allocated_cost: 60 },
        { account_id: 'new', name: 'New', reception_count: 0, allocated_cost: 0 },
      ],
      removed_sub_accounts: { reception_count: 0, allocated_cost: 0 },
      total: { reception_count: 4_000_000, allocated_cost: 80 },
    });
  });

  it('rule 3 counts what deleted children used as removed', () => {
    const { removed_sub_accounts: removed, total } = report({ parent: 1, old: 2, gone: 3, 'long gone': 4 });
    expect([removed.reception_count, total.reception_count]).toEqual([7, 10]);
  });

  it('rule 5 has parts that sum to the total', () => {
    const {
      parent,
      sub_accounts: children,
      removed_sub_accounts: removed,
      total,
    } = report({ parent: 1, old: 1, new: 1, gone: 1 }, { perMessage: 0.0333, currency: 'usd' });
    const costs = [parent, ...children, removed].map((one) => one.allocated_cost);
    expect([costs, total.allocated_cost]).toEqual([[0.04, 0.03, 0.03, 0.03], 0.13]);
  });

  it('rule 5 is all zero without usage', () => {
    const { parent, total } = report({}, { perMessage: 1, currency: 'usd' });
    expect([parent.allocated_cost, total]).toEqual([0, { reception_count: 0, allocated_cost: 0 }]);
  });
});
