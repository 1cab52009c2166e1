import { Permanent, Poison, Transient } from '@postmesh/contracts';
import { describe, expect, test } from 'vitest';
import { afterFailure, consumptionFailure } from './failure-policy.rules.js';

const coded = (code: string): Error => Object.assign(new Error('from outside'), { code });

describe('what a failure leads to', () => {
  test.each([
    { failure: new Transient('the database restarts'), tries: 1, next: 'redeliver' },
    { failure: new Transient('the database restarts'), tries: 1_000, next: 'redeliver' },
    { failure: coded('ECONNREFUSED'), tries: 1, next: 'redeliver' },
    { failure: coded('40001'), tries: 1, next: 'redeliver' },
    { failure: coded('57P01'), tries: 1, next: 'redeliver' },
    { failure: new Poison('data is no object'), tries: 1, next: 'isolate' },
    { failure: new Permanent('no such account'), tries: 1, next: 'isolate' },
    { failure: new TypeError('undefined is not a function'), tries: 1, next: { retryInMs: 200 } },
    { failure: new TypeError('undefined is not a function'), tries: 2, next: { retryInMs: 1_000 } },
    { failure: new TypeError('undefined is not a function'), tries: 3, next: 'isolate' },
    { failure: coded('23505'), tries: 3, next: 'isolate' },
    { failure: { status: 'error', message: 'Internal server error' }, tries: 3, next: 'isolate' },
    { failure: undefined, tries: 3, next: 'isolate' },
  ])('$failure at try $tries: $next', ({ failure, tries, next }) => {
    expect(afterFailure(consumptionFailure(failure, 10), tries)).toEqual(next);
  });

  // 57014: statement timeout, 55P03: lock timeout
  test.each(['57014', '55P03'])('too much at once, by %s: half as much, down to one event', (code) => {
    const next = (events: number, tries: number) =>
      afterFailure(consumptionFailure(coded(code), events), tries);
    expect([next(500, 1), next(2, 1)]).toEqual(['halve', 'halve']);
    expect([next(1, 1), next(1, 2), next(1, 3)]).toEqual([
      { retryInMs: 1_000 },
      { retryInMs: 5_000 },
      'isolate',
    ]);
  });
});
