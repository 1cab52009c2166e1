import { setImmediate as soon } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DebouncedTask } from './debounced-task.js';

/** Runs that last until the test ends them. */
function heldRuns() {
  const runs: { end: () => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];
  const errors: unknown[] = [];
  const task = new DebouncedTask(
    (signal) =>
      new Promise((end, fail) => {
        runs.push({ end, fail, signal });
      }),
    (error) => errors.push(error),
  );
  return { runs, errors, task };
}

describe('a debounced task', () => {
  it('runs once for many triggers, and once more for those that come meanwhile', async () => {
    const { runs, task } = heldRuns();
    task.trigger();
    task.trigger();
    await soon();
    expect(runs).toHaveLength(1);
    for (let triggers = 0; triggers < 3; triggers++) task.trigger();
    await soon();
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await soon();
    expect(runs).toHaveLength(2);
  });

  it('is settled when the runs for all triggers have ended', async () => {
    const { runs, task } = heldRuns();
    await task.settled();
    task.trigger();
    let settled = false;
    const settling = task.settled().then(() => (settled = true));
    await soon();
    expect(settled).toBe(false);
    runs[0]!.end();
    await settling;
  });

  it('runs again after an error, which is reported', async () => {
    const { runs, errors, task } = heldRuns();
    task.trigger();
    await soon();
    runs[0]!.fail(new Error('away'));
    await soon();
    expect(errors).toEqual([new Error('away')]);
    task.trigger();
    await soon();
    expect(runs).toHaveLength(2);
  });

  it('stops when the run in flight, whose signal is aborted, has ended, and begins no more', async () => {
    const { runs, task } = heldRuns();
    task.trigger();
    await soon();
    task.trigger();
    let stopped = false;
    const stopping = task.stop().then(() => (stopped = true));
    await soon();
    expect([stopped, runs[0]!.signal.aborted]).toEqual([false, true]);
    runs[0]!.end();
    await stopping;
    task.trigger();
    await soon();
    expect(runs).toHaveLength(1);
  });

  describe('that is triggered periodically', () => {
    const times: number[] = [];
    let found: boolean | 'error' = false;
    const task = () => {
      vi.useFakeTimers();
      times.length = 0;
      const begun = performance.now();
      return new DebouncedTask(
        async () => {
          times.push(performance.now() - begun);
          if (found === 'error') throw new Error('away');
          return found;
        },
        () => undefined,
      );
    };
    afterEach(() => vi.useRealTimers());

    it('runs ever more seldom while it finds nothing, and at its first interval when it found something', async () => {
      found = false;
      const polled = task();
      polled.every(1_000, 5_000);
      await vi.advanceTimersByTimeAsync(12_000);
      expect(times).toEqual([1_000, 3_000, 7_000, 12_000]);
      found = true;
      await vi.advanceTimersByTimeAsync(7_000);
      expect(times.slice(4)).toEqual([17_000, 18_000, 19_000]);
      found = 'error';
      await vi.advanceTimersByTimeAsync(2_000);
      expect(times.slice(7)).toEqual([20_000, 21_000]);
      await polled.stop();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(times).toHaveLength(9);
    });

    it('runs at once when it is triggered, however long it was idle, and when its next work is due', async () => {
      found = false;
      const polled = task();
      polled.every(1_000, 3_600_000);
      await vi.advanceTimersByTimeAsync(3_600_000);
      const idle = times.length;
      polled.trigger();
      await vi.advanceTimersByTimeAsync(0);
      expect(times.slice(idle)).toEqual([3_600_000]);
      polled.triggerIn(70);
      polled.triggerIn(90);
      await vi.advanceTimersByTimeAsync(1_100);
      expect(times.slice(idle)).toEqual([3_600_000, 3_600_070, 3_601_070]);
      await polled.stop();
    });
  });
});
