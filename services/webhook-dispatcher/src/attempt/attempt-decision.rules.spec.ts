import { describe, expect, it } from 'vitest';
import { loadSettings } from '@postmesh/settings';
import { decideAttempt, retryDelayMs } from './attempt-decision.rules.js';

const NOW = new Date('2026-01-05T08:00:00.000Z');
const WAITS = loadSettings({}).webhookRetries;
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
      askedUntil: null,
    });
  });
});

describe('everything else is a failure', () => {
  it.each([301, 302, 307, 400, 404, 410, 429, 500, 503])('%i', (status) => {
    expect(decideAttempt(1, answered(status), TIMING)).toEqual({
      outcome: 'retried',
      status,
      reason: `answered ${status}`,
      nextAttemptAt: new Date('2026-01-05T08:00:05.000Z'),
      askedUntil: null,
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

  it('a missing answer', () => {
    expect(decideAttempt(2, failed, TIMING)).toEqual({
      outcome: 'retried',
      status: null,
      reason: 'timeout (TimeoutError)',
      nextAttemptAt: new Date('2026-01-05T08:00:30.000Z'),
      askedUntil: null,
    });
  });

  it('spec 2-messages §18 rule 6: the call is dropped after the tenth try', () => {
    const tries = Array.from({ length: 10 }, (_, nth) => nth + 1);
    const outcomes = tries.map((attempt) => decideAttempt(attempt, failed, TIMING).outcome);
    expect(outcomes).toEqual([...tries.slice(1).map(() => 'retried'), 'dropped']);
    expect(decideAttempt(10, failed, TIMING).nextAttemptAt).toBeNull();
    expect(decideAttempt(10, answered(200), TIMING).outcome).toBe('succeeded');
  });
});

describe('spec 2-messages §18 rule 6: Retry-After', () => {
  const asked = (status: number, retryAfter: string, attempt = 1) =>
    decideAttempt(attempt, { ...answered(status), retryAfter }, TIMING);

  it.each([
    ['seconds', 429, '120', '08:02:00'],
    ['a date', 503, 'Mon, 05 Jan 2026 08:10:00 GMT', '08:10:00'],
    ['more than an hour is an hour', 503, '86400', '09:00:00'],
    ['less than the wait of the schedule', 429, '1', '08:00:05'],
    ['a time that is over', 429, 'Mon, 05 Jan 2026 07:00:00 GMT', '08:00:05'],
    ['something else', 429, 'soon', '08:00:05'],
    ['nothing', 429, '', '08:00:05'],
    ['another status', 500, '120', '08:00:05'],
  ])('%s', (_, status, retryAfter, time) => {
    expect(asked(status, retryAfter)).toMatchObject({
      outcome: 'retried',
      nextAttemptAt: new Date(`2026-01-05T${time}.000Z`),
    });
  });

  it('sets the end of the pause of the endpoint, also at the last try', () => {
    const askedUntil = new Date('2026-01-05T08:02:00.000Z');
    expect(asked(429, '120')).toMatchObject({ askedUntil });
    expect(asked(429, '120', 10)).toMatchObject({ outcome: 'dropped', nextAttemptAt: null, askedUntil });
  });
});

describe('spec 2-messages §18 rule 6: the wait after failure n', () => {
  it.each([
    [1, 5],
    [2, 30],
    [3, 120],
    [4, 600],
    [5, 1_800],
    [6, 7_200],
    [7, 18_000],
    [8, 36_000],
    [9, 36_000],
  ])('%i is %i s, ten per cent more or less', (failures, seconds) => {
    expect(retryDelayMs(failures, { waits: WAITS, scale: 1, random: 0.5 })).toBe(seconds * 1_000);
    expect(retryDelayMs(failures, { waits: WAITS, scale: 1, random: 0 })).toBe(seconds * 900);
    expect(retryDelayMs(failures, { waits: WAITS, scale: 1, random: 1 })).toBe(seconds * 1_100);
  });

  it('is that of the setting, and there is none after the last failure', () => {
    const waits = [60, 86_400];
    expect(retryDelayMs(2, { waits, scale: 1, random: 0.5 })).toBe(86_400_000);
    expect(retryDelayMs(3, { waits, scale: 1, random: 0.5 })).toBeUndefined();
    expect(decideAttempt(2, failed, { ...TIMING, waits }).nextAttemptAt).toEqual(
      new Date('2026-01-06T08:00:00.000Z'),
    );
    expect(decideAttempt(3, failed, { ...TIMING, waits }).outcome).toBe('dropped');
  });

  it('is scaled by the setting', () => {
    expect(retryDelayMs(3, { waits: WAITS, scale: 0.01, random: 0.5 })).toBe(1_200);
  });
});
