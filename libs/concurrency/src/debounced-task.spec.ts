import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
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
});
