import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.js';

const BACKOFF = { firstMs: 200, maxMs: 5_000 };

describe('the backoff', () => {
  it.each([
    [0, 0],
    [1, 200],
    [2, 400],
    [5, 3_200],
    [6, 5_000],
    [5_000, 5_000],
  ])('after %i failures in a row is %i ms', (failures, ms) => {
    expect(backoffMs(failures, BACKOFF)).toBe(ms);
  });

  it.each([
    [0, 160],
    [0.5, 200],
    [1, 240],
  ])('is spread on both sides: random %d gives %i ms', (random, ms) => {
    expect(backoffMs(1, { ...BACKOFF, spread: 0.2 }, random)).toBe(ms);
  });
});
