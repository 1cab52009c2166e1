import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gathering } from './gathering.js';

describe('Gathering', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** @returns what the last of them would wait */
  function come(gathering: Gathering, count: number, everyMs: number): number {
    for (let nth = 0; nth < count; nth++) {
      vi.advanceTimersByTime(everyMs);
      gathering.arrived();
    }
    return gathering.waitMs();
  }

  it('lets nothing wait when little comes', () => {
    const gathering = new Gathering({ maxMs: 10 });
    expect(gathering.waitMs()).toBe(0);
    expect(come(gathering, 1, 0)).toBe(0);
    expect(come(gathering, 200, 10)).toBe(0);
  });

  it('lets all wait when several come within the time', () => {
    expect(come(new Gathering({ maxMs: 10 }), 400, 2)).toBe(10);
    expect(come(new Gathering({ maxMs: 50 }), 200, 10)).toBe(50);
  });

  it('returns the group size that is worth a wait', () => {
    expect(come(new Gathering({ maxMs: 10, worthwhile: 6 }), 400, 2)).toBe(0);
    expect(come(new Gathering({ maxMs: 10, worthwhile: 6 }), 400, 1)).toBe(10);
  });

  it('takes a few that come together after a quiet time for no rate', () => {
    expect(come(new Gathering({ maxMs: 10 }), 10, 0)).toBe(0);
  });

  it('forgets a busy time within a second', () => {
    const gathering = new Gathering({ maxMs: 10 });
    come(gathering, 400, 2);
    vi.advanceTimersByTime(1_000);
    expect(gathering.waitMs()).toBe(0);
    gathering.arrived();
    expect(gathering.waitMs()).toBe(0);
  });

  it('counts what came as a batch', () => {
    const gathering = new Gathering({ maxMs: 50 });
    gathering.arrived(20);
    expect(gathering.waitMs()).toBe(50);
  });
});
