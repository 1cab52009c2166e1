import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../local-internet.fixture.js';
import { PublishedRecords, type PublishedZone } from './published-records.js';

const EMPTY: PublishedZone = { domains: [], serviceRecords: [] };

/** Records whose source answers when the test lets it. */
function recordsFromTest(timeoutMs?: number) {
  const readings: { answer(zone: unknown): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const source = (signal: AbortSignal): Promise<PublishedZone> =>
    new Promise((resolve, reject) => {
      readings.push({ answer: (zone) => resolve(zone as PublishedZone), fail: reject, signal });
    });
  return { records: new PublishedRecords(source, silentLogger, timeoutMs), readings };
}

/** Questions of one turn of the event loop share a reading; after two turns it has begun. */
async function readingBegun(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

afterEach(() => vi.useRealTimers());

describe('published records', () => {
  test('are read once for questions that arrive together', async () => {
    const { records, readings } = recordsFromTest();
    const pending = [records.fresh(), records.fresh(), records.fresh()];
    await readingBegun();
    expect(readings).toHaveLength(1);
    readings[0]?.answer(EMPTY);
    expect(new Set(await Promise.all(pending)).size).toBe(1);
  });

  test('are read again, after the running reading, for a question that arrived during it', async () => {
    const { records, readings } = recordsFromTest();
    const first = records.fresh();
    await readingBegun();
    const second = records.fresh();
    const third = records.fresh();
    await nextTurn();
    expect(readings).toHaveLength(1);
    readings[0]?.answer(EMPTY);
    await first;
    await readingBegun();
    expect(readings).toHaveLength(2);
    readings[1]?.answer(EMPTY);
    expect(await second).toBe(await third);
    expect(await second).not.toBe(await first);
  });

  test('are cached for their time, counted from the start of the reading', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { records, readings } = recordsFromTest();
    expect([records.recent(), records.stale()]).toEqual([undefined, undefined]);
    const pending = records.fresh();
    await readingBegun();
    vi.advanceTimersByTime(400);
    readings[0]?.answer(EMPTY);
    const index = await pending;
    vi.advanceTimersByTime(600);
    expect(records.recent()).toBe(index);
    vi.advanceTimersByTime(1);
    expect([records.recent(), records.stale()]).toEqual([undefined, index]);
    vi.advanceTimersByTime(3_600_000);
    expect(records.stale()).toBeUndefined();
  });

  test.each([
    ['fails', (reading: { fail(error: Error): void }) => reading.fail(new Error('down'))],
    [
      'answers with another type',
      (reading: { answer(zone: unknown): void }) => reading.answer({ domains: 'none' }),
    ],
  ])('are unknown when the source %s, and read again for the next question', async (_how, spoil) => {
    const { records, readings } = recordsFromTest();
    const pending = records.fresh();
    const outcome = pending.catch(() => 'failed');
    await readingBegun();
    if (readings[0] !== undefined) spoil(readings[0]);
    expect(await outcome).toBe('failed');
    const again = records.fresh();
    await readingBegun();
    readings[1]?.answer(EMPTY);
    await again;
  });

  test('are not waited for beyond the timeout, and the reading is aborted', async () => {
    const { records, readings } = recordsFromTest(20);
    await expect(records.fresh()).rejects.toThrow('within 20 ms');
    expect(readings[0]?.signal.aborted).toBe(true);
  });
});
