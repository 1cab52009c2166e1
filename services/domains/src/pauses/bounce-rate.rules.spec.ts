import { describe, expect, it } from 'vitest';
import { bouncesTooMuch, keyOf, splitByLift } from './bounce-rate.rules.js';

const LIMITS = { pauseBounceRate: 0.1, pauseMinBounces: 100 };

describe('§11.8 rule 1: more than a tenth, and a meaningful number', () => {
  it.each([
    [900, 100, false],
    [899, 100, true],
    [0, 99, false],
    [0, 100, true],
    [9_000, 999, false],
    [0, 0, false],
  ])('%i delivered and %i bounced: paused %s', (delivered, bounced, paused) => {
    expect(bouncesTooMuch({ delivered, bounced }, LIMITS)).toBe(paused);
  });

  it('a rate of 1 pauses nothing', () => {
    const never = { pauseBounceRate: 1, pauseMinBounces: 1 };
    expect(bouncesTooMuch({ delivered: 0, bounced: 1_000 }, never)).toBe(false);
  });
});

describe('§11.8 rule 3: bounces before a lift do not count again', () => {
  const from = '2026-01-01T00:00:00.000Z';
  const figure = (domain: string) => ({ account_id: 'a', domain, delivered: 1, bounced: 1, from });

  it('fetches the figures again for domains whose lift is later than their start', () => {
    const [free, early, late] = ['free.test', 'early.test', 'late.test'].map(figure);
    const lifts = new Map([
      [keyOf(early!), new Date('2025-12-31T00:00:00.000Z')],
      [keyOf(late!), new Date('2026-01-02T00:00:00.000Z')],
    ]);
    expect(splitByLift([free!, early!, late!], lifts)).toEqual({
      counted: [free, early],
      askAgain: [{ account_id: 'a', domain: 'late.test', since: '2026-01-02T00:00:00.000Z' }],
    });
  });
});
