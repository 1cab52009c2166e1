import { describe, expect, it } from 'vitest';
import { LargeLetters } from './large-letters.js';

const MIB = 1024 * 1024;

/** Steps that end when told to. */
function underWay() {
  const ends: (() => void)[] = [];
  return {
    ends,
    step: () => new Promise<void>((resolve) => ends.push(resolve)),
    /** every promise that can go on has gone on */
    settled: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe('large letters', () => {
  it('wait for each other, in order, beyond 96 MiB', async () => {
    const letters = new LargeLetters();
    const { ends, step, settled } = underWay();
    const all = [40, 40, 40, 20].map((size) => letters.within(size * MIB, step));
    await settled();
    expect(ends).toHaveLength(2);
    ends[0]!();
    await settled();
    expect(ends).toHaveLength(3);
    ends[1]!();
    await settled();
    ends.slice(2).forEach((end) => end());
    await Promise.all(all);
  });

  it('never hold up small ones', async () => {
    const letters = new LargeLetters();
    const { ends, step, settled } = underWay();
    void letters.within(200 * MIB, step);
    const waiting = letters.within(2 * MIB, step);
    await settled();
    expect(ends).toHaveLength(1);
    expect(await letters.within(MIB - 1, async () => 'through')).toBe('through');
    ends[0]!();
    await settled();
    ends[1]!();
    await waiting;
  });

  it('give their room back when they fail', async () => {
    const letters = new LargeLetters();
    const fail = () => Promise.reject(new Error('no'));
    await expect(letters.within(90 * MIB, fail)).rejects.toThrow('no');
    expect(await letters.within(90 * MIB, async () => 'through')).toBe('through');
  });
});
