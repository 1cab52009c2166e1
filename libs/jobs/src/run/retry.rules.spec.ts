import { Permanent, Poison, Transient } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { judgeFailure, retryDelayMs } from './retry.rules.js';

describe('a failed run', () => {
  it.each([
    ['a bug', new Error('x is undefined'), true, 'bug: x is undefined'],
    ['a lost connection', Object.assign(new Error('gone'), { code: 'ECONNRESET' }), true, 'transient: gone'],
    ['what will never work', new Permanent('no such domain'), false, 'permanent: no such domain'],
    ['what cannot be read', new Poison('no id'), false, 'poison: no id'],
    ['something thrown that is no error', 'oops', true, 'bug: oops'],
  ])('by %s', (_name, error, again, reason) => {
    expect(judgeFailure(error)).toEqual({ again, reason, retryAfterMs: undefined });
  });

  it('obeys the wait that the failure asks for', () => {
    expect(judgeFailure(new Transient('busy', 7_000)).retryAfterMs).toBe(7_000);
  });

  it('has a reason that every backend can store', () => {
    const { reason } = judgeFailure(new Error(`nul \0 ${'x'.repeat(5_000)}`));
    expect(reason).not.toContain('\0');
    expect(reason).toHaveLength(1_000);
  });
});

describe('the wait before the next attempt', () => {
  const backoff = { firstMs: 100, maxMs: 1_000 };
  it.each([
    [1, 0, undefined, 100],
    [2, 0, undefined, 200],
    [4, 0, undefined, 800],
    [5, 0, undefined, 1_000],
    [500, 0, undefined, 1_000],
    [1, 1, undefined, 110],
    [1, 0, 5_000, 5_000],
    [1, 0, 50, 100],
  ])(
    'after attempt %i with random %d and retry-after %s is %i ms',
    (attempt, random, retryAfter, expected) => {
      expect(retryDelayMs(backoff, attempt, random, retryAfter)).toBe(expected);
    },
  );
});
