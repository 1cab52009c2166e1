import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandOverPace } from './hand-over-pace.js';

let pace: HandOverPace;
let stopping: AbortController;
/** when each request began, ms */
let begun: number[];
beforeEach(() => {
  vi.useFakeTimers();
  pace = new HandOverPace();
  stopping = new AbortController();
  begun = [];
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts concurrent requests of the given duration. */
async function want(count: number, tookMs: number, besideOthers = false): Promise<void> {
  const from = performance.now();
  const request = async () => {
    begun.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, tookMs));
    return { ok: true as const, recipients: [], ...(besideOthers ? { beside_others: true } : {}) };
  };
  const all = Array.from({ length: count }, () => pace.run(request, stopping.signal));
  await vi.runAllTimersAsync();
  await Promise.all(all);
}

describe('the pace of hand-overs', () => {
  it('begins with one request', async () => {
    await want(3, 50);
    expect(begun).toEqual([0, 800, 900]);
  });

  it('starts requests at twice the duration of the last one', async () => {
    await want(1, 50);
    begun = [];
    await want(3, 50);
    expect(begun).toEqual([50, 150, 250]);
    expect(pace.mostRecipients).toBe(100);
  });

  it('leaves longer pauses while other mail is sent, with smaller requests', async () => {
    await want(1, 50, true);
    begun = [];
    await want(3, 50, true);
    expect(begun).toEqual([150, 350, 550]);
    expect(pace.mostRecipients).toBe(50);
  });

  it('follows the last request, also for waiting ones', async () => {
    await want(1, 50);
    begun = [];
    await want(3, 50, true);
    expect(begun).toEqual([50, 250, 450]);
  });

  it('does not wait long after a slow campaign', async () => {
    await want(1, 60_000, true);
    begun = [];
    await want(2, 60_000, true);
    expect(begun).toEqual([0, 800]);
  });

  it('survives a failed request', async () => {
    await want(1, 50);
    const away = () => Promise.reject(new Error('away'));
    const failing = expect(pace.run(away, stopping.signal)).rejects.toThrow('away');
    await vi.runAllTimersAsync();
    await failing;
    begun = [];
    await want(2, 50);
    expect(begun).toEqual([100, 200]);
  });

  it('ends all waits when the worker stops', async () => {
    await want(1, 200, true);
    begun = [];
    stopping.abort();
    await want(3, 200);
    expect(begun).toEqual([0, 0, 0]);
  });
});
