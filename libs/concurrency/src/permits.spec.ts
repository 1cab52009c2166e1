import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Permits } from './permits.js';

describe('permits', () => {
  it('are counted per key', () => {
    const permits = new Permits(2);
    expect([permits.tryAcquire('a'), permits.tryAcquire('a'), permits.tryAcquire('a')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(permits.tryAcquire('b')).toBe(true);
    expect([permits.free('a'), permits.free('b'), permits.free('c'), permits.inUse]).toEqual([0, 1, 2, 3]);
    permits.release('a');
    expect(permits.free('a')).toBe(1);
  });

  it('are bounded over all keys', () => {
    const permits = new Permits(2, 3);
    permits.tryAcquire('a');
    permits.tryAcquire('a');
    permits.tryAcquire('b');
    expect([permits.free('b'), permits.free('c'), permits.tryAcquire('c')]).toEqual([0, 0, false]);
  });

  it('count what was begun by others beyond the bound', () => {
    const permits = new Permits(1);
    permits.occupy('a');
    permits.occupy('a');
    expect([...permits.entries()]).toEqual([['a', 2]]);
    permits.release('a');
    expect(permits.tryAcquire('a')).toBe(false);
  });

  it('forget keys that have none in use, and refuse a release too many', () => {
    const permits = new Permits(1);
    permits.tryAcquire('a');
    permits.release('a');
    expect([...permits.entries()]).toEqual([]);
    expect(() => permits.release('a')).toThrow("'a' was released twice");
  });

  it('are given in the order of asking', async () => {
    const permits = new Permits(1);
    await permits.acquire('a');
    const got: number[] = [];
    void permits.acquire('a').then(() => got.push(1));
    void permits.acquire('a').then(() => got.push(2));
    await soon();
    expect(got).toEqual([]);
    permits.release('a');
    await soon();
    expect(got).toEqual([1]);
    permits.release('a');
    await soon();
    expect([got, permits.inUse]).toEqual([[1, 2], 1]);
  });

  it('go to a waiter of another key when the bound of all keys was in the way', async () => {
    const permits = new Permits(2, 2);
    permits.tryAcquire('a');
    permits.tryAcquire('a');
    const waiting = permits.acquire('b');
    permits.release('a');
    await waiting;
    expect(permits.inUseOf('b')).toBe(1);
  });

  it('are not given to a waiter that gave up', async () => {
    const permits = new Permits(1);
    permits.tryAcquire('a');
    const abort = new AbortController();
    const waiting = permits.acquire('a', abort.signal);
    abort.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    permits.release('a');
    expect(permits.free('a')).toBe(1);
    await expect(permits.acquire('a', abort.signal)).rejects.toThrow('stopped');
  });
});
