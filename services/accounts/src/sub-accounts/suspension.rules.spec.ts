import { describe, expect, it } from 'vitest';
import { resumption, suspension } from './suspension.rules.js';

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
