import { describe, expect, it } from 'vitest';
import { WakeCall } from './wake-call.js';

const LONG_MS = 60_000;

async function tookMs(rest: Promise<void>): Promise<number> {
  const begun = performance.now();
  await rest;
  return performance.now() - begun;
}

describe('a rest', () => {
  it('ends by a call', async () => {
    const wake = new WakeCall();
    setImmediate(() => wake.call());
    expect(await tookMs(wake.rest(LONG_MS))).toBeLessThan(1_000);
  });

  it('does not begin when a call came before it', async () => {
    const wake = new WakeCall();
    wake.call();
    expect(await tookMs(wake.rest(LONG_MS))).toBeLessThan(1_000);
    wake.clear();
    expect(wake.pending).toBe(false);
    expect(await tookMs(wake.rest(20))).toBeGreaterThanOrEqual(18);
  });

  it('that gathers goes on through calls and remembers them', async () => {
    const wake = new WakeCall();
    setImmediate(() => wake.call());
    expect(await tookMs(wake.gather(30))).toBeGreaterThanOrEqual(28);
    expect(wake.pending).toBe(true);
  });

  it('ends by a stop, and none begins after it', async () => {
    const wake = new WakeCall();
    setImmediate(() => wake.stop());
    expect(await tookMs(wake.gather(LONG_MS))).toBeLessThan(1_000);
    wake.clear();
    expect(await tookMs(wake.rest(LONG_MS))).toBeLessThan(1_000);
  });
});
