import { describe, expect, it } from 'vitest';
import { decideAttempt, retryDelayMs } from './attempt-decision.rules.js';

const NOW = new Date('2026-01-05T08:00:00.000Z');
const WAITS = [1, 16, 81, 256, 625];
const TIMING = { now: NOW, waits: WAITS, scale: 1, random: 0.5 };
const answered = (status: number) => ({
  kind: 'answered' as const,
  status,
  start: Buffer.alloc(0),
  redirects: 0,
  durationMs: 5,
});
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

  it.each([
    ['to-plain-http', 'answered 307 from https to http'],
    ['too-many-redirects', 'answered 307 after 3 redirects'],
    ['no-target', 'answered 307 to a URL that cannot be called'],
  ] as const)('a redirect that is not followed: %s', (refused, reason) => {
    expect(decideAttempt(1, { ...answered(307), refused }, TIMING)).toMatchObject({
      outcome: 'retried',
      reason,
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
    expect(decideAttempt(6, failed, TIMING).nextAttemptAt).toBeNull();
    expect(decideAttempt(6, answered(200), TIMING).outcome).toBe('succeeded');
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
    expect(retryDelayMs(failures, { waits: WAITS, scale: 1, random: 0.5 })).toBe(seconds * 1_000);
    expect(retryDelayMs(failures, { waits: WAITS, scale: 1, random: 0 })).toBe(seconds * 900);
    expect(retryDelayMs(failures, { waits: WAITS, scale: 1, random: 1 })).toBe(seconds * 1_100);
  });

  it('is what the setting says, and after the last one there is none', () => {
    const waits = [60, 86_400];
    expect(retryDelayMs(2, { waits, scale: 1, random: 0.5 })).toBe(86_400_000);
    expect(retryDelayMs(3, { waits, scale: 1, random: 0.5 })).toBeUndefined();
    expect(decideAttempt(2, failed, { ...TIMING, waits }).nextAttemptAt).toEqual(
      new Date('2026-01-06T08:00:00.000Z'),
    );
    expect(decideAttempt(3, failed, { ...TIMING, waits }).outcome).toBe('dropped');
  });

  it('is scaled by the setting', () => {
    expect(retryDelayMs(3, { waits: WAITS, scale: 0.01, random: 0.5 })).toBe(810);
  });
});
