import { expect, it } from 'vitest';
import { changeOf } from './endpoint-state.rules.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 8, 0, second));
const failure = (second: number, askedUntil: Date | null = null) => ({
  at: at(second),
  failure: 'answered 503',
  askedUntil,
});
const success = (second: number) => ({ at: at(second), failure: null, askedUntil: null });

it('failures of any kind are counted since the last success', () => {
  expect(changeOf([failure(1), { ...failure(2), failure: 'timeout (x)' }])).toEqual({
    succeededAt: null,
    failures: 2,
    failingSince: at(1),
    askedUntil: null,
    lastFailureAt: at(2),
    lastFailure: 'timeout (x)',
  });
  expect(changeOf([failure(1), success(2), failure(3)])).toMatchObject({
    succeededAt: at(2),
    failures: 1,
    failingSince: at(3),
  });
  expect(changeOf([failure(1), success(2)])).toEqual({
    succeededAt: at(2),
    failures: 0,
    failingSince: null,
    askedUntil: null,
    lastFailureAt: at(1),
    lastFailure: 'answered 503',
  });
  expect(changeOf([success(1)])).toMatchObject({ failures: 0, lastFailure: null });
});

it('the endpoint pauses until the latest time that it requested since its last success', () => {
  expect(changeOf([failure(1, at(50)), failure(2, at(40)), failure(3)])).toMatchObject({
    askedUntil: at(50),
  });
  expect(changeOf([failure(1, at(50)), success(2), failure(3)])).toMatchObject({ askedUntil: null });
});
