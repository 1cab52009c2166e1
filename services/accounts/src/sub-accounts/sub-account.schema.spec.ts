import { describe, expect, it } from 'vitest';
import { subAccountStatus } from './sub-account.schema.js';

const AT = new Date('2026-01-01T00:00:00Z');
const ACTIVE = { suspendedAt: null, blockedAt: null, deletedAt: null };
const SUSPENDED = { ...ACTIVE, suspendedAt: AT };
const BLOCKED = { ...ACTIVE, blockedAt: AT };
const DELETED = { ...SUSPENDED, deletedAt: AT };

describe('§10.2 status', () => {
  it.each([
    ['active', ACTIVE, ACTIVE],
    ['suspended', SUSPENDED, ACTIVE],
    ['parent-suspended', ACTIVE, SUSPENDED],
    ['suspended', SUSPENDED, SUSPENDED],
    ['deleted', DELETED, ACTIVE],
    ['deleted', DELETED, SUSPENDED],
    ['suspended', BLOCKED, ACTIVE],
    ['suspended', BLOCKED, SUSPENDED],
  ])('is %s for a child %o of a parent %o', (status, child, parent) => {
    expect(subAccountStatus(child, parent)).toBe(status);
  });
});
