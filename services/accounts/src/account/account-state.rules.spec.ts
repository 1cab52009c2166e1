import { describe, expect, it } from 'vitest';
import { accountState } from './account-state.rules.js';

const when = new Date();
const state = (more: { suspendedAt?: Date; blockedAt?: Date; deletedAt?: Date } = {}) => ({
  suspendedAt: null,
  blockedAt: null,
  deletedAt: null,
  ...more,
});

describe('the state of an account', () => {
  it.each([
    [state(), undefined, 'active'],
    [state({ suspendedAt: when }), undefined, 'suspended'],
    [state({ suspendedAt: when, blockedAt: when }), undefined, 'blocked'],
    [state({ blockedAt: when, deletedAt: when }), undefined, 'deleted'],
    [state(), state(), 'active'],
    [state(), state({ suspendedAt: when }), 'parent-suspended'],
    [state({ suspendedAt: when }), state({ suspendedAt: when }), 'suspended'],
    [state(), state({ blockedAt: when }), 'blocked'],
    [state(), state({ deletedAt: when }), 'deleted'],
    [state({ deletedAt: when }), state(), 'deleted'],
  ] as const)('case %#', (own, parent, expected) => {
    expect(accountState(own, parent)).toBe(expected);
  });
});
