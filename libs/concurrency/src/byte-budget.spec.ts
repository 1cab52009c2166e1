import { describe, expect, it } from 'vitest';
import { BudgetExhausted, ByteBudget, type ByteBudgetOptions } from './byte-budget.js';

const MIB = 1024 * 1024;

const budgetOf = (more: Partial<ByteBudgetOptions> = {}) =>
  new ByteBudget({ maxBytes: 96 * MIB, freeBelow: MIB, ...more });

/** Steps that end on demand. */
function underWay() {
  const ends: (() => void)[] = [];
  return {
    ends,
    step: () => new Promise<void>((resolve) => ends.push(resolve)),
    /** every promise that can continue has continued */
    settled: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe('a budget of bytes', () => {
  it('lets large ones wait for each other, in order', async () => {
    const budget = budgetOf();
    const { ends, step, settled } = underWay();
    const all = [40, 40, 40, 20].map((size) => budget.within('a', size * MIB, step));
    await settled();
    expect(ends).toHaveLength(2);
    expect([budget.bytes, budget.waiting]).toEqual([80 * MIB, 2]);
    ends[0]!();
    await settled();
    expect(ends).toHaveLength(3);
    ends[1]!();
    await settled();
    ends.slice(2).forEach((end) => end());
    await Promise.all(all);
    expect([budget.bytes, budget.waiting]).toEqual([0, 0]);
  });

  it('gives the unneeded rest of a reservation to others', async () => {
    const budget = budgetOf();
    const release = await budget.enter('a', 90 * MIB);
    const next = budget.enter('b', 40 * MIB);
    release.keepOnly(50 * MIB);
    (await next)();
    expect(budget.bytes).toBe(50 * MIB);
    release.keepOnly(60 * MIB);
    expect(budget.bytes).toBe(50 * MIB);
    release();
    release();
    expect(budget.bytes).toBe(0);
  });

  it('never holds up small ones', async () => {
    const budget = budgetOf();
    const { ends, step, settled } = underWay();
    void budget.within('a', 200 * MIB, step);
    const waiting = budget.within('a', 2 * MIB, step);
    await settled();
    expect(ends).toHaveLength(1);
    expect(await budget.within('a', MIB - 1, async () => 'through')).toBe('through');
    ends[0]!();
    await settled();
    ends[1]!();
    await waiting;
  });

  it('has its room back when a step fails', async () => {
    const budget = budgetOf();
    const fail = () => Promise.reject(new Error('no'));
    await expect(budget.within('a', 90 * MIB, fail)).rejects.toThrow('no');
    expect(await budget.within('a', 90 * MIB, async () => 'through')).toBe('through');
  });

  it('gives room back once, however often it is released', async () => {
    const budget = budgetOf();
    const [first] = await Promise.all([budget.enter('a', 40 * MIB), budget.enter('a', 40 * MIB)]);
    first();
    first();
    expect(budget.bytes).toBe(40 * MIB);
  });

  it('counts growth, and names the key whose share is used up', () => {
    const budget = budgetOf({ maxBytes: 30, maxPerKey: 20, freeBelow: 0 });
    const [one, two] = [budget.hold('a'), budget.hold('b')];
    one.grow(15);
    expect(() => one.grow(6)).toThrow(expect.objectContaining({ ofKey: true }));
    two.grow(15);
    expect(() => two.grow(1)).toThrow(expect.objectContaining({ ofKey: false }));
    one.release();
    one.release();
    two.grow(5);
    expect(budget.bytes).toBe(20);
  });

  it('lets keys take turns', async () => {
    const budget = budgetOf({ maxBytes: 10 * MIB });
    const order: string[] = [];
    const first = await budget.enter('a', 10 * MIB);
    const all = ['a', 'a', 'a', 'b', 'c'].map((key, nth) =>
      budget.within(key, 10 * MIB, async () => void order.push(`${key}${nth}`)),
    );
    first();
    await Promise.all(all);
    expect(order).toEqual(['a0', 'b3', 'c4', 'a1', 'a2']);
  });

  it('keeps room for others: a key that has its share waits, others pass it', async () => {
    const budget = budgetOf({ maxBytes: 30 * MIB, maxPerKey: 20 * MIB });
    const { ends, step, settled } = underWay();
    const loud = [10, 10, 10].map((size) => budget.within('loud', size * MIB, step));
    await settled();
    expect([ends.length, budget.othersWait('loud'), budget.othersWait('quiet')]).toEqual([2, false, true]);
    expect(await budget.within('quiet', 10 * MIB, async () => 'through')).toBe('through');
    expect(budget.waiting).toBe(1);
    ends.splice(0).forEach((end) => end());
    await settled();
    ends[0]!();
    await Promise.all(loud);
  });

  it('lets no smaller one overtake the next in line', async () => {
    const budget = budgetOf({ maxBytes: 30 * MIB });
    const held = await budget.enter('a', 20 * MIB);
    const order: string[] = [];
    const large = budget.within('b', 25 * MIB, async () => void order.push('large'));
    const small = budget.within('c', 2 * MIB, async () => void order.push('small'));
    held();
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });

  it('refuses when too many of a key wait, and who waited too long', async () => {
    const budget = budgetOf({ maxBytes: MIB, maxWaiting: 1, maxWaitMs: 5 });
    await budget.enter('a', MIB);
    const waiting = budget.enter('a', MIB);
    const ofAnother = budget.enter('b', MIB);
    await expect(budget.enter('a', MIB)).rejects.toThrow(BudgetExhausted);
    await expect(waiting).rejects.toThrow(BudgetExhausted);
    await expect(ofAnother).rejects.toThrow(BudgetExhausted);
    expect([budget.waiting, budget.bytes]).toEqual([0, MIB]);
  });

  it('forgets a caller that gave up, and admits the one behind it', async () => {
    const budget = budgetOf({ maxBytes: 30 * MIB });
    const abort = new AbortController();
    await budget.enter('a', 20 * MIB);
    const large = budget.enter('b', 25 * MIB, abort.signal);
    const behind = budget.enter('c', 5 * MIB);
    abort.abort(new Error('gone'));
    await expect(large).rejects.toThrow('gone');
    await behind;
    expect(budget.bytes).toBe(25 * MIB);
    await expect(budget.enter('b', MIB, abort.signal)).rejects.toThrow('gone');
  });
});
