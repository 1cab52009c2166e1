import { describe, expect, it } from 'vitest';
import { stateChange } from './state-change.rules.js';

const before = new Date('2026-01-01T00:00:00Z');
const now = new Date('2026-02-01T00:00:00Z');
const free = {
  suspendedAt: null,
  suspendedBy: null,
  suspensionReason: null,
  blockedAt: null,
  blockReason: null,
};
const byOperator = { ...free, suspendedAt: before, suspendedBy: 'operator' as const, suspensionReason: 'a' };
const byParent = { ...byOperator, suspendedBy: 'parent' as const };
const blocked = { ...free, blockedAt: before, blockReason: 'a' };

describe('what the operator does to an account', () => {
  it.each([
    ['suspend', free, { suspendedAt: now, suspendedBy: 'operator', suspensionReason: 'b' }],
    ['suspend', byParent, { suspendedAt: now, suspendedBy: 'operator', suspensionReason: 'b' }],
    ['suspend', byOperator, undefined],
    ['resume', byOperator, { suspendedAt: null, suspendedBy: null, suspensionReason: null }],
    ['resume', byParent, { suspendedAt: null, suspendedBy: null, suspensionReason: null }],
    ['resume', free, undefined],
    ['block', free, { blockedAt: now, blockReason: 'b' }],
    ['block', blocked, undefined],
    ['unblock', blocked, { blockedAt: null, blockReason: null }],
    ['unblock', free, undefined],
  ] as const)('%s, case %#', (action, account, expected) => {
    expect(stateChange(account, action, 'b', now)).toEqual(expected);
  });
});
