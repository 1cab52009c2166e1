import { describe, expect, it } from 'vitest';
import { stopTimes } from './drain.js';

describe('the time between SIGTERM and SIGKILL', () => {
  it('is the drain, the stop, and a margin of one second before SIGKILL', () => {
    expect(stopTimes({ drainSeconds: 5, terminationGraceSeconds: 35 })).toEqual({
      drainMs: 5_000,
      graceMs: 13_500,
      stopMs: 29_000,
    });
  });

  it('always covers the longest steps of a stop: a handler of 8 s and closing', () => {
    for (const terminationGraceSeconds of [10, 15, 30, 120, 3_600]) {
      const { graceMs, stopMs } = stopTimes({ drainSeconds: 0, terminationGraceSeconds });
      expect(stopMs - graceMs).toBeGreaterThanOrEqual(4_000);
    }
    const { graceMs, stopMs } = stopTimes({ drainSeconds: 5, terminationGraceSeconds: 30 });
    expect(graceMs + 8_000 + 2_000).toBeLessThan(stopMs);
  });

  it('refuses a drain that leaves too little, and names the setting', () => {
    const tooLong = { drainSeconds: 21, terminationGraceSeconds: 30 };
    expect(() => stopTimes(tooLong)).toThrow(/^POSTMESH_DRAIN_SECONDS: 21 leaves less than 10 of the 30 s/);
  });
});
