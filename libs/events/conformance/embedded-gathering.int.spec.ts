import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEmbeddedBus } from '../src/embedded/embedded-bus.js';
import type { EventBus } from '../src/event-bus.port.js';
import { fact, parseEnvelope } from './facts.js';
import { Diary } from './listener.js';
import { newDatabase, OwnPostgres } from './postgres.js';

// The clock of the bus only moves by `pass`: a batch that is handed over meanwhile did not wait, and no sweep interferes.
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** statements that the server has not answered yet */
let unanswered = 0;
function countUnanswered(): void {
  const { query } = pg.Client.prototype;
  function counted(this: pg.Client, ...given: unknown[]): unknown {
    const result: unknown = Reflect.apply(query, this, given);
    if (result instanceof Promise) {
      unanswered++;
      const answered = () => void unanswered--;
      result.then(answered, answered);
    }
    return result;
  }
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(counted as typeof query);
}

async function untilAnswered(): Promise<void> {
  do await new Promise(setImmediate);
  while (unanswered > 0);
}

let postgres: OwnPostgres;
let database: { url: string; drop: () => Promise<void> };
let bus: EventBus;
let diary: Diary;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await newDatabase(postgres.server.url);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  bus = await createEmbeddedBus({ url: database.url });
  diary = new Diary();
  await bus.subscribe({
    group: 'readers',
    streams: ['messages'],
    // kept by the subscriber, as services do: nothing is written between a batch and the pause behind it
    positions: { load: async () => new Map(), rewind: async () => undefined },
    handle: async (received) => diary.write(received.map(({ text }) => parseEnvelope(text))),
  });
});
afterEach(async () => {
  // a stop waits for the pause of the reader
  await pass(1_000);
  await bus.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
  await database.drop();
});

let published = 0;
async function publish(count: number): Promise<void> {
  await bus.publish(Array.from({ length: count }, () => fact('key', published++)));
}

const handled = (count: number) => diary.until((written) => written.distinct() >= count);

describe('the reader of a group', () => {
  test('hands over at once what comes alone, and what comes behind it after the small pause', async () => {
    await publish(1);
    await handled(1);
    await publish(1);
    await pass(8);
    await handled(2);
    expect(diary.batches).toEqual([1, 1]);
  });

  test('lets groups grow while many come', async () => {
    // 200 a second; by the small pause alone each round were a batch
    const [rounds, perRound, everyMs] = [60, 2, 10];
    await publish(perRound);
    await handled(perRound);
    for (let round = 1; round < rounds; round++) {
      await pass(everyMs);
      await publish(perRound);
    }
    await pass(100);
    await handled(rounds * perRound);
    const { batches } = diary;
    expect(batches[0]).toBe(perRound);
    // those of 50 ms are ten; one of them may come a moment too late
    expect(Math.max(...batches)).toBeGreaterThanOrEqual(8);
    expect(batches.length).toBeLessThan(rounds / 2);
  });

  test('does not gather any more when it has become quiet', async () => {
    await publish(50);
    await handled(50);
    await pass(500);
    await publish(1);
    await handled(51);
    await publish(1);
    await pass(8);
    await handled(52);
    expect(diary.batches).toEqual([50, 1, 1]);
  });

  describe('after a long time without events', () => {
    // The reads of the sweeps are real: one that is unanswered for two seconds of the clock would be taken for lost.
    const [STEPS, STEP_MS] = [100, 1_500];
    const idle = async () => {
      countUnanswered();
      await untilAnswered();
      for (let step = 0; step < STEPS; step++) {
        await pass(STEP_MS);
        await untilAnswered();
      }
    };

    test('hands over at once what is announced', async () => {
      await publish(1);
      await handled(1);
      await idle();
      await publish(1);
      await handled(2);
      expect(diary.batches).toEqual([1, 1]);
    });

    test('finds within five seconds what nothing announced', async () => {
      await publish(1);
      await handled(1);
      await idle();
      const client = new pg.Client(database.url);
      await client.connect();
      await bus.log?.append(
        (text, values) => client.query(text, values),
        [{ stream: 'messages', text: JSON.stringify(fact('key', published++)) }],
      );
      await client.end();
      await pass(5_000);
      await handled(2);
    });
  });
});
