import { describe, expect, it } from 'vitest';
import { countAttempts } from './call-counters.rules.js';

/** 'f3 s f' = three failures, a success, a failure, one second apart */
const attempts = (text: string) =>
  text
    .split(' ')
    .flatMap((word) => Array.from({ length: Number(word.slice(1) || 1) }, () => word.startsWith('s')))
    .map((success, second) => ({ success, attemptedAt: new Date(second * 1_000).toISOString() }));

describe('counters move per attempt', () => {
  it.each([
    ['a success', 0, 's', { successes: 1, errors: 0, errorsSinceLastSuccess: 0, disables: false }],
    ['a success forgets failures', 99, 's', { successes: 1, errors: 0, errorsSinceLastSuccess: 0 }],
    ['failures add up', 4, 'f3', { successes: 0, errors: 3, errorsSinceLastSuccess: 7, disables: false }],
    ['in their order', 50, 'f2 s f1', { successes: 1, errors: 3, errorsSinceLastSuccess: 1 }],
    ['the 100th failure in a row is borne', 99, 'f', { errorsSinceLastSuccess: 100, disables: false }],
    ['the 101st disables', 100, 'f', { errorsSinceLastSuccess: 101, disables: true }],
    ['101 in one batch disable', 0, 'f101', { errors: 101, disables: true }],
    ['100 in one batch do not', 0, 'f100', { errors: 100, disables: false }],
    ['a success in between saves', 60, 'f40 s f100', { errorsSinceLastSuccess: 100, disables: false }],
    ['a success after the 101st does not', 100, 'f s', { errorsSinceLastSuccess: 0, disables: true }],
  ])('%s', (_, before, text, after) => {
    const standing = { enabled: true, errorsSinceLastSuccess: before };
    expect(countAttempts(standing, attempts(text))).toMatchObject(after);
  });

  it('a webhook that is disabled already is not disabled again', () => {
    expect(countAttempts({ enabled: false, errorsSinceLastSuccess: 150 }, attempts('f'))).toMatchObject({
      errorsSinceLastSuccess: 151,
      disables: false,
    });
  });

  it('the last request is the latest, in whatever order attempts come', () => {
    const { lastRequestAt } = countAttempts(
      { enabled: true, errorsSinceLastSuccess: 0 },
      attempts('s3').reverse(),
    );
    expect(lastRequestAt).toBe('1970-01-01T00:00:02.000Z');
  });
});
