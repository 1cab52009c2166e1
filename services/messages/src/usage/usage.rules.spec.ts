import { describe, expect, it } from 'vitest';
import { AccountId, newId } from '@postmesh/contracts';
import {
  admitWithin,
  usageKey,
  usagePeriod,
  usageRows,
  type CreditFacts,
  type UsageClaim,
} from './usage.rules.js';

const parent = AccountId.parse(newId());
const child = AccountId.parse(newId());
const other = AccountId.parse(newId());
const JUNE = new Date('2026-06-30T23:59:59.999Z');
const JULY = new Date('2026-07-01T00:00:00.000Z');

const pool = (monthly_credit: number) => ({ account_id: parent, monthly_credit });
const ofParent = (more: Partial<CreditFacts> = {}) => ({
  ...{ parent_account_id: null, monthly_credit: 0, credit_pool: null },
  ...more,
});
const ofChild = (more: Partial<CreditFacts> = {}) => ofParent({ parent_account_id: parent, ...more });
const claim = (accountId: AccountId, credit: CreditFacts, count = 1, at = JUNE): UsageClaim => ({
  ...{ accountId, credit, count, at },
});
const own = (accountId: AccountId, period = '2026-06') => usageKey({ accountId, wholeFamily: false, period });
const family = (accountId: AccountId, period = '2026-06') =>
  usageKey({ accountId, wholeFamily: true, period });

describe('a period', () => {
  it.each([
    [JUNE, '2026-06'],
    [JULY, '2026-07'],
    [new Date('2026-12-31T23:30:00-01:00'), '2027-01'],
  ])('of %s is %s: a calendar month, UTC', (at, period) => expect(usagePeriod(at)).toBe(period));
});

describe('§10.4 rule 6: monthly credit', () => {
  const capped = (monthly_credit: number) => ofChild({ monthly_credit });

  it.each([
    ['up to the cap', [1, 1, 1], 3, 0, [true, true, true]],
    ['not past it', [1, 1, 1], 2, 0, [true, true, false]],
    ['with what was used before', [1, 1], 10, 9, [true, false]],
    ['each request as a whole', [3, 2, 1], 3, 0, [true, false, false]],
    ['a smaller one behind one that was too large', [3, 2], 2, 0, [false, true]],
    ['nothing when the cap was lowered below the count', [1], 5, 9, [false]],
    ['everything without a cap', [1_000], 0, 1_000_000, [true]],
  ])('admits %s', (_, counts, cap, before, admitted) => {
    const used = new Map([[own(child), before]]);
    expect(
      admitWithin(
        counts.map((count) => claim(child, capped(cap), count)),
        used,
      ),
    ).toEqual(admitted);
  });

  it('restarts with the month, within one commit too', () => {
    const claims = [JUNE, JUNE, JULY, JULY].map((at) => claim(child, capped(1), 1, at));
    expect(admitWithin(claims, new Map())).toEqual([true, false, true, false]);
  });

  it('of one account is not that of another', () => {
    const claims = [child, other].map((id) => claim(id, capped(1)));
    expect(admitWithin(claims, new Map())).toEqual([true, true]);
  });
});

describe('§10.4 rule 7: the pool of a family', () => {
  it('is used up by parent and children together', () => {
    const credit_pool = pool(3);
    const claims = [
      claim(parent, ofParent({ credit_pool })),
      claim(child, ofChild({ credit_pool })),
      claim(other, ofChild({ credit_pool })),
      claim(child, ofChild({ credit_pool })),
      claim(parent, ofParent({ credit_pool })),
    ];
    expect(admitWithin(claims, new Map())).toEqual([true, true, true, false, false]);
  });

  it('stops a child at the first limit that is reached', () => {
    const credit_pool = pool(5);
    const small = claim(child, ofChild({ credit_pool, monthly_credit: 2 }));
    const large = claim(other, ofChild({ credit_pool, monthly_credit: 100 }));
    expect(admitWithin([small, small, small, large, large, large, large], new Map())).toEqual([
      ...[true, true, false],
      ...[true, true, true, false],
    ]);
  });

  it('counts messages that were sent before it was set', () => {
    const used = new Map([[family(parent), 10]]);
    expect(admitWithin([claim(child, ofChild({ credit_pool: pool(10) }))], used)).toEqual([false]);
  });

  it('is not used up by messages that its own limit refuses', () => {
    const credit_pool = pool(2);
    const used = new Map([[own(child), 1]]);
    const spent = claim(child, ofChild({ credit_pool, monthly_credit: 1 }));
    const parents = claim(parent, ofParent({ credit_pool }));
    expect(admitWithin([spent, parents, parents], used)).toEqual([false, true, true]);
  });
});

describe('the rows of claims', () => {
  it('are one row per account and family of a month, with the last time', () => {
    const rows = usageRows([
      claim(child, ofChild(), 2, new Date('2026-06-02T00:00:00Z')),
      claim(child, ofChild(), 3, new Date('2026-06-01T00:00:00Z')),
      claim(parent, ofParent(), 1, JULY),
    ]);
    expect(
      rows.map((row) => [row.accountId, row.wholeFamily, row.familyId, row.period, row.accepted]),
    ).toEqual([
      [child, false, parent, '2026-06', 5],
      [parent, true, parent, '2026-06', 5],
      [parent, false, parent, '2026-07', 1],
      [parent, true, parent, '2026-07', 1],
    ]);
    expect(rows[0]!.lastAcceptedAt).toEqual(new Date('2026-06-02T00:00:00Z'));
  });
});
