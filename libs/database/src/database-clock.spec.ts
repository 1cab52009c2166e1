import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseClock } from './database-clock.js';

const START = Date.UTC(2026, 0, 5);

describe("the database's clock", () => {
  let clock: DatabaseClock;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'], now: START });
    clock = new DatabaseClock();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is not put back by an answer that a busy process handles late', () => {
    const askedAt = performance.now();
    vi.advanceTimersByTime(400);
    // read by the server at once
    clock.follow(START, askedAt);
    expect(clock.now()).toBe(START + 400);
  });

  it.each([
    ['ahead', 60_000, START + 60_000],
    ['behind, by the most that it can be', -60_000, START - 60_000 + 10],
  ])('is followed when it is a minute %s', (_where, off, now) => {
    const askedAt = performance.now();
    vi.advanceTimersByTime(10);
    clock.follow(START + off, askedAt);
    expect(clock.now()).toBe(now);
  });
});
