import { describe, expect, it } from 'vitest';
import { trialSize, variantOf, winnerOf, type VariantResult } from './trial.rules.js';

describe('the size of a trial', () => {
  it.each([
    [1_000, 20, 2, 200],
    [1_001, 20, 2, 201],
    [10, 1, 3, 3],
    [2, 10, 4, 2],
    [0, 50, 2, 0],
  ])('of %i recipients, %i %% and %i variants is %i', (recipients, share, variants, size) => {
    expect(trialSize(recipients, { share, variants })).toBe(size);
  });
});

describe('the variant of a recipient', () => {
  it('alternates within the trial, and is the winner after it', () => {
    const trial = { size: 5, variants: 2, winner: 1 };
    expect([0, 1, 2, 3, 4, 5, 6].map((position) => variantOf(position, trial))).toEqual([
      0, 1, 0, 1, 0, 1, 1,
    ]);
  });

  it("is the campaign's own without a trial", () => {
    expect(variantOf(3, null)).toBe(0);
  });
});

describe('the winner', () => {
  const result = (variant: number, delivered: number, opened: number, clicked: number): VariantResult => ({
    ...{ variant, delivered, opened, clicked },
    recipients: delivered,
  });

  it('has the highest share of what was delivered, not the highest number', () => {
    const results = [result(0, 100, 30, 1), result(1, 50, 20, 5)];
    expect(winnerOf(results, 'opened')).toBe(1);
    expect(winnerOf(results, 'clicked')).toBe(1);
  });

  it('is the first of equal ones, in any order, also where nothing was delivered', () => {
    expect(winnerOf([result(1, 10, 5, 0), result(0, 20, 10, 0)], 'opened')).toBe(0);
    expect(winnerOf([result(1, 0, 0, 0), result(0, 0, 0, 0)], 'clicked')).toBe(0);
    expect(winnerOf([], 'opened')).toBe(0);
  });
});
