import { expect, it } from 'vitest';
import { refreshAfterSeconds } from './sts-refresh.rules.js';

it('a policy is fetched again daily, spread over three hours, and before half of its time is over', () => {
  expect(refreshAfterSeconds(604_800, 0)).toBe(86_400);
  expect(refreshAfterSeconds(604_800, 1)).toBe(75_600);
  expect(refreshAfterSeconds(86_400, 0)).toBe(43_200);
  expect(refreshAfterSeconds(0, 0.5)).toBe(0);
});
