import { describe, expect, it } from 'vitest';
import { Signal } from './signal.js';

const FOR_EVER_MS = 60_000;

describe('a wake-up signal', () => {
  it('ends a wait when it is raised', async () => {
    const signal = new Signal();
    const waiting = signal.wait(FOR_EVER_MS);
    signal.raise();
    expect(await waiting).toBe(true);
  });

  it('ends the next wait at once when it was raised before', async () => {
    const signal = new Signal();
    signal.raise();
    signal.raise();
    expect(signal.isRaised).toBe(true);
    expect(await signal.wait(FOR_EVER_MS)).toBe(true);
  });

  it('is lowered by a wait, however often it was raised, and by lower()', async () => {
    const signal = new Signal();
    signal.raise();
    signal.raise();
    await signal.wait(FOR_EVER_MS);
    expect(await signal.wait(1)).toBe(false);
    signal.raise();
    signal.lower();
    expect(await signal.wait(1)).toBe(false);
  });

  it('ends a wait when it is aborted, before or meanwhile', async () => {
    const signal = new Signal();
    const abort = new AbortController();
    const waiting = signal.wait(FOR_EVER_MS, abort.signal);
    abort.abort();
    expect(await waiting).toBe(false);
    expect(await signal.wait(FOR_EVER_MS, abort.signal)).toBe(false);
  });

  it('ends all waits when it is closed, now and later', async () => {
    const signal = new Signal();
    const waiting = [signal.wait(FOR_EVER_MS), signal.waitPast(signal.mark, FOR_EVER_MS)];
    signal.close();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(await signal.wait(FOR_EVER_MS)).toBe(false);
  });

  it('wakes every one of many waiters, also those that checked before the raise and wait after it', async () => {
    const signal = new Signal();
    const { mark } = signal;
    const waiting = [signal.waitPast(mark, FOR_EVER_MS), signal.waitPast(mark, FOR_EVER_MS)];
    signal.raise();
    expect(await Promise.all(waiting)).toEqual([true, true]);
    expect(await signal.waitPast(mark, FOR_EVER_MS)).toBe(true);
    expect(await signal.waitPast(signal.mark, 1)).toBe(false);
  });
});
