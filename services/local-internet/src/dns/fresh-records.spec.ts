import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FreshRecords } from './fresh-records.js';
import type { PublishedZone } from './published-zone.js';

const EMPTY: PublishedZone = { domains: [], serviceRecords: [] };

function held(options: { timeoutMs?: number; now?: () => number } = {}) {
  const readings: { answer(zone: unknown): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const failures: unknown[] = [];
  const records = new FreshRecords({
    source: (signal) =>
      new Promise((resolve, reject) => {
        readings.push({ answer: (zone) => resolve(zone as PublishedZone), fail: reject, signal });
      }),
    rememberMs: 1_000,
    timeoutMs: options.timeoutMs ?? 60_000,
    now: options.now,
    onFailure: (error) => failures.push(error),
    onUnusable: () => {},
  });
  return { records, readings, failures };
}

describe('published records', () => {
  test('are read once for questions that come together', async () => {
    const { records, readings } = held();
    const asked = [records.fresh(), records.fresh(), records.fresh()];
    await nextTurn();
    await nextTurn();
    expect(readings).toHaveLength(1);
    readings[0]?.answer(EMPTY);
    expect(new Set(await Promise.all(asked)).size).toBe(1);
  });

  test('are read again for a question that came while a reading ran, after that one ended', async () => {
    const { records, readings } = held();
    const first = records.fresh();
    await nextTurn();
    await nextTurn();
    const second = records.fresh();
    const third = records.fresh();
    await nextTurn();
    expect(readings).toHaveLength(1);
    readings[0]?.answer(EMPTY);
    await first;
    await nextTurn();
    await nextTurn();
    expect(readings).toHaveLength(2);
    readings[1]?.answer(EMPTY);
    expect(await second).toBe(await third);
    expect(await second).not.toBe(await first);
  });

  test('are remembered for as long as they may be, counted from the start of the reading', async () => {
    let clock = 0;
    const { records, readings } = held({ now: () => clock });
    expect(records.recent()).toBeUndefined();
    const asked = records.fresh();
    await nextTurn();
    await nextTurn();
    clock = 400;
    readings[0]?.answer(EMPTY);
    const index = await asked;
    clock = 1_000;
    expect(records.recent()).toBe(index);
    clock = 1_001;
    expect(records.recent()).toBeUndefined();
  });

  test.each([
    ['fails', (reading: { fail(error: Error): void }) => reading.fail(new Error('down'))],
    [
      'says something else',
      (reading: { answer(zone: unknown): void }) => reading.answer({ domains: 'none' }),
    ],
  ])('are not known when the source %s, and asked for anew the next time', async (_how, spoil) => {
    const { records, readings, failures } = held();
    const asked = records.fresh();
    const heard = asked.catch(() => 'failed');
    await nextTurn();
    await nextTurn();
    if (readings[0] !== undefined) spoil(readings[0]);
    expect(await heard).toBe('failed');
    expect(failures).toHaveLength(1);
    const again = records.fresh();
    await nextTurn();
    await nextTurn();
    readings[1]?.answer(EMPTY);
    await again;
  });

  test('are not waited for beyond the time, and the reading is told', async () => {
    const { records, readings } = held({ timeoutMs: 20 });
    await expect(records.fresh()).rejects.toThrow('within 20 ms');
    expect(readings[0]?.signal.aborted).toBe(true);
  });
});
