import { describe, expect, it } from 'vitest';
import { decideAttempt, MOST_ATTEMPTS, retryDelayMs } from './attempt-decision.rules.js';

const NOW = new Date('2026-01-05T08:00:00.000Z');
const TIMING = { now: NOW, scale: 1, random: 0.5 };
const answered = (status: number) => ({ kind: 'answered' as const, status, durationMs: 5 });
const failed = {
  kind: 'failed' as const,
  trouble: 'timeout' as const,
  code: 'TimeoutError',
  durationMs: 10_000,
};

describe('success is any 2xx', () => {
  it.each([200, 201, 202, 204, 299])('%i', (status) => {
    expect(decideAttempt(1, answered(status), TIMING)).toEqual({
      outcome: 'succeeded',
      status,
      reason: null,
      nextAttemptAt: null,
    });
  });
});

describe('everything else is a failure', () => {
  it.each([301, 302, 307, 400, 404, 410, 429, 500, 503])('%i', (status) => {
    expect(decideAttempt(1, answered(status), TIMING)).toEqual({
      outcome: 'retried',
      status,
      reason: `answered ${status}`,
      nextAttemptAt: new Date('2026-01-05T08:00:01.000Z'),
    });
  });

  it('no answer too', () => {
    expect(decideAttempt(2, failed, TIMING)).toEqual({
      outcome: 'retried',
      status: null,
      reason: 'timeout (TimeoutError)',
      nextAttemptAt: new Date('2026-01-05T08:00:16.000Z'),
    });
  });

  it('and after the sixth try the call is dropped', () => {
    const outcomes = [1, 2, 3, 4, 5, 6].map((attempt) => decideAttempt(attempt, failed, TIMING).outcome);
    expect(outcomes).toEqual(['retried', 'retried', 'retried', 'retried', 'retried', 'dropped']);
    expect(decideAttempt(MOST_ATTEMPTS, failed, TIMING).nextAttemptAt).toBeNull();
    expect(decideAttempt(MOST_ATTEMPTS, answered(200), TIMING).outcome).toBe('succeeded');
  });
});

describe('the wait after failure n', () => {
  it.each([
    [1, 1],
    [2, 16],
    [3, 81],
    [4, 256],
    [5, 625],
  ])('%i is %i s, ten per cent more or less', (failures, seconds) => {
    expect(retryDelayMs(failures, { scale: 1, random: 0.5 })).toBe(seconds * 1_000);
    expect(retryDelayMs(failures, { scale: 1, random: 0 })).toBe(seconds * 900);
    expect(retryDelayMs(failures, { scale: 1, random: 1 })).toBe(seconds * 1_100);
  });

  it('is scaled by the setting', () => {
    expect(retryDelayMs(3, { scale: 0.01, random: 0.5 })).toBe(810);
  });
});
