import { describe, expect, it } from 'vitest';
import { refuseEmptyUpdate, resumption, suspension, updated } from './sub-account-changes.rules.js';

const THEN = new Date('2026-01-01T00:00:00Z');
const NOW = new Date('2026-01-02T00:00:00Z');
const FREE = { suspendedAt: null, suspendedBy: null, suspensionReason: null, blockedAt: null };
const PAUSED = { ...FREE, suspendedAt: THEN, suspendedBy: 'parent' as const, suspensionReason: 'first' };
const BY_OPERATOR = { ...PAUSED, suspendedBy: 'operator' as const };
const BLOCKED = { ...FREE, blockedAt: THEN };
const OPERATORS = 'this sub account was paused by the service operator';

describe('§10.4 rule 1 suspension', () => {
  it.each([
    ['a free child', FREE],
    ['a blocked child, which stays paused when the block ends', BLOCKED],
  ])('pauses %s with its reason, time and author', (_whose, child) => {
    expect(suspension(child, 'spam', NOW)).toEqual({
      suspendedAt: NOW,
      suspendedBy: 'parent',
      suspensionReason: 'spam',
    });
  });

  it.each([
    ['the parent', PAUSED],
    ['the operator', BY_OPERATOR],
  ])('changes nothing of one that %s paused', (_who, child) => {
    expect(suspension(child, 'second', NOW)).toBeUndefined();
  });
});

describe('§10.4 rule 2 resumption', () => {
  it("ends the parent's pause", () => {
    expect(resumption(PAUSED)).toEqual({ suspendedAt: null, suspendedBy: null, suspensionReason: null });
  });

  it('changes nothing of a free child', () => {
    expect(resumption(FREE)).toBeUndefined();
  });

  it.each([
    ['paused', BY_OPERATOR],
    ['blocked', BLOCKED],
    ['blocked after the parent had paused it', { ...PAUSED, blockedAt: THEN }],
  ])('is refused for a child that the operator %s', (_what, child) => {
    expect(() => resumption(child)).toThrow(OPERATORS);
  });
});

const CHILD = { name: 'Acme', website: 'acme.test', monthlyCredit: 10 };

describe('§10.3 updating a sub-account', () => {
  it.each([[{}], [{ name: null }], [{ name: null, website: null, monthly_credit: null }]])(
    'needs something: %j',
    (input) => {
      expect(() => refuseEmptyUpdate(input)).toThrow('at least one field must be provided');
    },
  );

  it('accepts a credit of 0 as a change', () => {
    expect(() => refuseEmptyUpdate({ monthly_credit: 0 })).not.toThrow();
  });

  it.each([
    [{ name: 'Other' }, { ...CHILD, name: 'Other' }],
    [
      { name: 'Acme', website: 'other.test' },
      { ...CHILD, website: 'other.test' },
    ],
    [{ monthly_credit: 0 }, { ...CHILD, monthlyCredit: 0 }],
    [
      { name: null, monthly_credit: 11 },
      { ...CHILD, monthlyCredit: 11 },
    ],
  ])('%j leads to %j', (input, columns) => {
    expect(updated(CHILD, input)).toEqual(columns);
  });

  it.each([[{ name: 'Acme' }], [{ name: 'Acme', website: 'acme.test', monthly_credit: 10 }]])(
    '%j changes nothing',
    (input) => {
      expect(() => updated(CHILD, input)).toThrow('no changes to apply');
    },
  );
});
