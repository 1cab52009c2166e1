import { describe, expect, it } from 'vitest';
import { LargeMessages } from './large-messages.js';

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

describe('large messages', () => {
  it('wait for each other, in order, beyond 96 MiB', async () => {
    const messages = new LargeMessages();
    const { ends, step, settled } = underWay();
    const all = [40, 40, 40, 20].map((size) => messages.within(size * MIB, step));
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
    const messages = new LargeMessages();
    const { ends, step, settled } = underWay();
    void messages.within(200 * MIB, step);
    const waiting = messages.within(2 * MIB, step);
    await settled();
    expect(ends).toHaveLength(1);
    expect(await messages.within(MIB - 1, async () => 'through')).toBe('through');
    ends[0]!();
    await settled();
    ends[1]!();
    await waiting;
  });

  it('give their room back when they fail', async () => {
    const messages = new LargeMessages();
    const fail = () => Promise.reject(new Error('no'));
    await expect(messages.within(90 * MIB, fail)).rejects.toThrow('no');
    expect(await messages.within(90 * MIB, async () => 'through')).toBe('through');
  });
});
