import { describe, expect, it } from 'vitest';
import { RunOnWord } from './run-on-word.js';

/** Runs that last until the test ends them. */
function heldRuns() {
  const runs: { end: () => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];
  const troubles: unknown[] = [];
  const work = new RunOnWord(
    (signal) => new Promise((end, fail) => runs.push({ end, fail, signal })),
    (error) => troubles.push(error),
  );
  return { runs, troubles, work };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('work that begins at a word', () => {
  it('runs once for many words, and once more for those that come meanwhile', async () => {
    const { runs, work } = heldRuns();
    work.ask();
    work.ask();
    await soon();
    expect(runs).toHaveLength(1);
    for (let words = 0; words < 3; words++) work.ask();
    await soon();
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await soon();
    expect(runs).toHaveLength(2);
  });

  it('is settled when what was asked for has been tried', async () => {
    const { runs, work } = heldRuns();
    await work.settled();
    work.ask();
    let settled = false;
    const settling = work.settled().then(() => (settled = true));
    await soon();
    expect(settled).toBe(false);
    runs[0]!.end();
    await settling;
  });

  it('goes on after trouble, which is told', async () => {
    const { runs, troubles, work } = heldRuns();
    work.ask();
    await soon();
    runs[0]!.fail(new Error('away'));
    await soon();
    expect(troubles).toEqual([new Error('away')]);
    work.ask();
    await soon();
    expect(runs).toHaveLength(2);
  });

  it('ends with the run under way, which is told, and begins nothing more', async () => {
    const { runs, work } = heldRuns();
    work.ask();
    await soon();
    work.ask();
    let ended = false;
    const end = work.end().then(() => (ended = true));
    await soon();
    expect([ended, runs[0]!.signal.aborted]).toEqual([false, true]);
    runs[0]!.end();
    await end;
    work.ask();
    await soon();
    expect(runs).toHaveLength(1);
  });
});
