import { expect, it } from 'vitest';
import { changeOf } from './endpoint-state.rules.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 8, 0, second));
const silent = (second: number) => ({ answered: false, at: at(second), failure: 'timeout (x)' });
const error = (second: number) => ({ answered: true, at: at(second), failure: 'answered 500' });
const success = (second: number) => ({ answered: true, at: at(second), failure: null });

it('attempts without an answer are counted since the last answer, whatever it said', () => {
  expect(changeOf([silent(1), silent(2)])).toEqual({
    answeredAt: null,
    unanswered: 2,
    lastFailureAt: at(2),
    lastFailure: 'timeout (x)',
  });
  expect(changeOf([silent(1), error(2), silent(3)])).toMatchObject({ answeredAt: at(2), unanswered: 1 });
  expect(changeOf([silent(1), success(2)])).toEqual({
    answeredAt: at(2),
    unanswered: 0,
    lastFailureAt: at(1),
    lastFailure: 'timeout (x)',
  });
  expect(changeOf([success(1)])).toMatchObject({ unanswered: 0, lastFailure: null });
});
