import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate, billingPeriod, pooledCents, usageReport } from './usage-report.rules.js';

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

  it('rule 3 counts the usage of deleted children as removed', () => {
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

describe('§10.5 rule 1 the billing period', () => {
  it.each([
    ['2024-01-01T00:00:00.000Z', '2024-01', '2024-01-01', '2024-02-01'],
    ['2024-01-31T23:59:59.999Z', '2024-01', '2024-01-01', '2024-02-01'],
    ['2024-02-29T12:00:00.000Z', '2024-02', '2024-02-01', '2024-03-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2026-12-01', '2027-01-01'],
    // still December in UTC
    ['2027-01-01T00:30:00.000+01:00', '2026-12', '2026-12-01', '2027-01-01'],
  ])('of %s is %s, from %s to %s', (now, month, start, end) => {
    expect(billingPeriod(new Date(now))).toEqual({
      month,
      start: new Date(`${start}T00:00:00Z`),
      end: new Date(`${end}T00:00:00Z`),
    });
  });
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

describe('§10.5 rule 5 the pooled cost', () => {
  it.each([
    [4_000_000, 0.00002, 8_000],
    [0, 0.5, 0],
    [1_000, 0, 0],
    [1, 0.005, 1],
    [1, 0.0049, 0],
    // 1.005 as a float is a little less
    [1, 1.005, 101],
    [3, 0.1, 30],
    [1_000_000_000_000, 0.0000001, 10_000_000],
  ])('of %d messages at %d is %d cents', (messages, price, cents) => {
    expect(pooledCents(messages, price)).toBe(cents);
  });
});

describe('§10.5 rule 5 the allocation', () => {
  it.each([
    ['the example of the contract', 8_000, [1_000_000, 3_000_000, 0], [2_000, 6_000, 0]],
    ['nothing used', 0, [0, 0, 0], [0, 0, 0]],
    ['nothing to pay', 0, [5, 7], [0, 0]],
    ['thirds: the first of equals gets the cent', 100, [1, 1, 1], [34, 33, 33]],
    ['two cents left: those who lost most', 100, [1, 2, 3], [17, 33, 50]],
    ['a cent for three', 1, [1, 1, 1], [1, 0, 0]],
    ['who used nothing pays nothing', 1, [0, 1, 0], [0, 1, 0]],
    ['no part at all', 0, [], []],
  ])('%s', (_case, cents, used, shares) => {
    expect(allocate(cents, used)).toEqual(shares);
  });

  it('sums to the total, and no share is off by a cent or more', () => {
    const counts = fc.array(fc.nat({ max: 1_000_000_000 }), { minLength: 1, maxLength: 50 });
    const cases = fc.tuple(fc.nat({ max: 1_000_000_000_000 }), counts);
    fc.assert(
      fc.property(cases, ([cents, used]) => {
        const total = sum(used);
        const shares = allocate(cents, used);
        expect(sum(shares)).toBe(total === 0 ? 0 : cents);
        shares.forEach((share, at) => {
          const rest = BigInt(share) * BigInt(total) - BigInt(used[at] ?? 0) * BigInt(cents);
          expect(total === 0 || (rest < BigInt(total) && rest > -BigInt(total))).toBe(true);
        });
      }),
    );
  });
});
