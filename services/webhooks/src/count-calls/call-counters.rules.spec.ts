import { describe, expect, it } from 'vitest';
import { loadSettings } from '@postmesh/settings';
import { countAttempts, type Standing } from './call-counters.rules.js';

const HOUR_MS = 3_600_000;
const DISABLE_AFTER_MS = loadSettings({}).webhookDisableHours * HOUR_MS;
const at = (hour: number) => new Date(hour * HOUR_MS).toISOString();

/** 'f3 s f' = three failures, a success, a failure, one hour apart from the given hour on */
const attempts = (text: string, from = 0) =>
  text
    .split(' ')
    .flatMap((word) => Array.from({ length: Number(word.slice(1) || 1) }, () => word.startsWith('s')))
    .map((success, hour) => ({
      success,
      attemptedAt: at(from + hour),
      reason: success ? null : `failure ${hour + 1}`,
    }));

const standing = (errorsSinceLastSuccess: number, failingSince: number | null = 0): Standing => ({
  enabled: true,
  errorsSinceLastSuccess,
  failingSince: failingSince === null ? null : new Date(failingSince * HOUR_MS),
});
const count = (before: Standing, text: string, from = 0) =>
  countAttempts(before, attempts(text, from), DISABLE_AFTER_MS);

describe('spec 2-messages §18 rule 7: counters move per attempt', () => {
  it.each([
    ['a success', 0, 's', { successes: 1, errors: 0, errorsSinceLastSuccess: 0, lastFailure: null }],
    ['a success forgets failures', 99, 's', { errorsSinceLastSuccess: 0, failingSince: null }],
    ['failures add up', 4, 'f3', { errors: 3, errorsSinceLastSuccess: 7, lastFailure: 'failure 3' }],
    ['in their order', 50, 'f2 s f1', { successes: 1, errors: 3, errorsSinceLastSuccess: 1 }],
  ])('%s', (_, before, text, after) => {
    expect(count(standing(before), text)).toMatchObject(after);
  });

  it('the last request is the latest one for any order of attempts', () => {
    const { lastRequestAt } = countAttempts(standing(0), attempts('s3').reverse(), DISABLE_AFTER_MS);
    expect(lastRequestAt).toBe(at(2));
  });
});

describe('spec 2-messages §18 rule 8: an endpoint is disabled by time, never by count', () => {
  it('fails since the first failure after its last success', () => {
    expect(count(standing(0, null), 'f3', 5).failingSince?.toISOString()).toBe(at(5));
    expect(count(standing(3, 5), 'f', 9).failingSince?.toISOString()).toBe(at(5));
    expect(count(standing(3, 5), 's f', 9).failingSince?.toISOString()).toBe(at(10));
    // counted by a release without times
    expect(count(standing(99, null), 'f', 9).failingSince?.toISOString()).toBe(at(9));
    // a row reset by a release without times
    expect(count(standing(0, 5), 'f', 9).failingSince?.toISOString()).toBe(at(9));
  });

  it.each([
    ['failures without number in less than five days do not', 3_500, 'f', 119, false],
    ['failures for five days do', 11, 'f', 120, true],
    ['ten of them are needed', 8, 'f', 500, false],
    ['the tenth does', 9, 'f', 500, true],
    ['a success saves it', 300, 'f s', 200, false],
    ['and is the end of the row', 300, 'f s f20', 200, false],
    ['also in one batch', 0, 'f121', 0, true],
  ])('%s', (_, before, text, hour, disables) => {
    expect(count(standing(before), text, hour).disables).toBe(disables);
  });

  it('a disabled one is not disabled again', () => {
    expect(count({ ...standing(150), enabled: false }, 'f', 500)).toMatchObject({
      errorsSinceLastSuccess: 151,
      disables: false,
    });
  });
});
