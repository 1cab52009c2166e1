import { describe, expect, it } from 'vitest';
import { stateChange } from './account-changes.rules.js';

const before = new Date('2026-01-01T00:00:00Z');
const now = new Date('2026-02-01T00:00:00Z');
const free = {
  suspendedAt: null,
  suspendedBy: null,
  suspensionReason: null,
  parentSuspension: null,
  blockedAt: null,
  blockReason: null,
};
const byOperator = { ...free, suspendedAt: before, suspendedBy: 'operator' as const, suspensionReason: 'a' };
const byParent = { ...byOperator, suspendedBy: 'parent' as const };
const byBoth = { ...byOperator, parentSuspension: { at: before.toISOString(), reason: 'c' } };
const byOperatorNow = { suspendedAt: now, suspendedBy: 'operator', suspensionReason: 'b' };
const resumed = { suspendedAt: null, suspendedBy: null, suspensionReason: null, parentSuspension: null };
const blocked = { ...free, blockedAt: before, blockReason: 'a' };

describe('operator actions on an account', () => {
  it.each([
    ['suspend', free, { ...byOperatorNow, parentSuspension: null }],
    ['suspend', byParent, { ...byOperatorNow, parentSuspension: { at: before.toISOString(), reason: 'a' } }],
    ['suspend', byOperator, undefined],
    ['resume', byOperator, resumed],
    ['resume', byParent, resumed],
    ['resume', byBoth, { ...resumed, suspendedAt: before, suspendedBy: 'parent', suspensionReason: 'c' }],
    ['resume', free, undefined],
    ['block', free, { blockedAt: now, blockReason: 'b' }],
    ['block', blocked, undefined],
    ['unblock', blocked, { blockedAt: null, blockReason: null }],
    ['unblock', free, undefined],
  ] as const)('%s, case %#', (action, account, expected) => {
    expect(stateChange(account, action, 'b', now)).toEqual(expected);
  });
});
