import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { createTestDatabase } from '@postmesh/testing';
import { listDeadLetters } from '../src/dead-letters.js';
import {
  accounts,
  countEffects,
  effects,
  endReaders,
  fact,
  openService,
  type ServiceUnderTest,
} from './service-under-test.js';
import type { ReceivedEvent } from '../src/event-bus.port.js';

const CHILD = join(import.meta.dirname, 'consumer-process.mjs');

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let service: ServiceUnderTest;
const opened: ServiceUnderTest[] = [];

const open = async (): Promise<ServiceUnderTest> => {
  const one = await openService(database.url);
  opened.push(one);
  return one;
};

beforeEach(async () => {
  database = await createTestDatabase();
  service = await open();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.stop()));
  await database.drop();
});

const add = (tx: EntityManager, ...events: EventEnvelope[]) => service.outbox.add(tx, events);
const commit = (...events: EventEnvelope[]) => service.dataSource.transaction((tx) => add(tx, ...events));

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function childProcess(options: { dies: string; at: number }): Promise<ChildProcess> {
  const child = fork(CHILD, [JSON.stringify({ url: database.url, ...options })], { execArgv: [] });
  await once(child, 'message');
  return child;
}

describe('events that go into the log of the bus with their change', { timeout: 90_000 }, () => {
  it('are published by the commit, in order, and those of a rolled back change never', async () => {
    const [account] = accounts(1) as [string];
    await service.consume();
    for (let n = 0; n < 20; n++) {
      await commit(fact(account, n));
      await service.dataSource
        .transaction(async (tx) => {
          await add(tx, fact(account, 1_000 + n));
          throw new Error('no');
        })
        .catch(() => undefined);
    }
    await expect.poll(() => countEffects(service)).toBe(20);
    expect((await effects(service)).get(account)).toEqual(numbers(20));
    expect(await service.dataSource.query('select from outbox')).toEqual([]);
  });

  it('share the fate of the savepoint in which they were added', async () => {
    const [account] = accounts(1) as [string];
    const fails = async (tx: EntityManager, n: number) => {
      await tx
        .transaction(async (inner) => {
          await add(inner, fact(account, n));
          await inner.transaction((innermost) => add(innermost, fact(account, n)));
          throw new Error('no');
        })
        .catch(() => undefined);
    };
    await service.dataSource.transaction(async (tx) => {
      await add(tx, fact(account, 0));
      await fails(tx, 100);
      await tx.transaction(async (inner) => {
        await add(inner, fact(account, 1));
        await fails(inner, 101);
        await add(inner, fact(account, 2));
      });
      expect(await tx.query('select from bus.append(null, null, false)')).toHaveLength(1);
      await add(tx, fact(account, 3));
    });
    await service.consume();
    await expect.poll(() => countEffects(service)).toBe(4);
    expect((await effects(service)).get(account)).toEqual([0, 1, 2, 3]);
  });

  it('are refused outside of a transaction, and when they are too large their change is', async () => {
    await expect(add(service.dataSource.manager, fact(newId(), 1))).rejects.toThrow(/transaction/);
    await expect(commit(fact('x'.repeat(1_000_000), 1))).rejects.toThrow(/larger than/);
  });

  it('are invisible to a reader until all before them are visible', async () => {
    const [first, second] = accounts(2) as [string, string];
    await service.consume();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isAppended: () => void = () => undefined;
    const appended = new Promise<void>((resolve) => (isAppended = resolve));
    const slow = service.dataSource.transaction(async (tx) => {
      const text = JSON.stringify(fact(first, 0));
      await service.bus.log.append((sql, values) => tx.query(sql, values), [{ stream: 'accounts', text }]);
      isAppended();
      await held;
    });
    await appended;
    const later = commit(fact(second, 0));
    await pause(300);
    expect(await countEffects(service)).toBe(0);
    release();
    await Promise.all([slow, later]);
    await expect.poll(() => countEffects(service)).toBe(2);
    expect([...(await effects(service)).keys()]).toEqual([first, second]);
  });

  it('10,000 of them from 8 writers at once are counted once each, over lost turns', async () => {
    const other = await open();
    await Promise.all([service.consume(), other.consume()]);
    const perWriter = 1_250;
    const write = async (writer: ServiceUnderTest) => {
      const keys = accounts(25);
      for (let n = 0; n < perWriter / keys.length; n++) {
        for (let at = 0; at < keys.length; at += 5) {
          await writer.dataSource.transaction((tx) =>
            writer.outbox.add(
              tx,
              keys.slice(at, at + 5).map((key) => fact(key, n)),
            ),
          );
        }
      }
    };
    let isWriting = true;
    const disturbing = (async () => {
      while (isWriting) {
        await pause(150);
        await endReaders(service);
      }
    })();
    await Promise.all(numbers(8).map((n) => write(n % 2 === 0 ? service : other)));
    isWriting = false;
    await disturbing;
    await expect.poll(() => countEffects(service)).toBe(10_000);
    await pause(1_500);
    expect(await countEffects(service)).toBe(10_000);
    for (const done of (await effects(service)).values()) expect(done).toEqual(numbers(50));
    expect(await listDeadLetters(service.dataSource, { limit: 10 })).toEqual([]);
  });
});

describe('an effect happens once', { timeout: 90_000 }, () => {
  it.each(['before the commit', 'behind the commit'])('when its process is killed (-9) %s', async (dies) => {
    const keys = accounts(10);
    const child = await childProcess({ dies, at: 30 });
    const gone = once(child, 'exit');
    for (let n = 0; n < 10; n++) await commit(...keys.map((key) => fact(key, n)));
    await gone;
    await service.consume();
    await expect.poll(() => countEffects(service)).toBe(100);
    await pause(1_200);
    for (const done of (await effects(service)).values()) expect(done).toEqual(numbers(10));
  });

  it('when two processes share one database and the one that reads is killed', async () => {
    const keys = accounts(10);
    const child = await childProcess({ dies: 'never', at: 0 });
    const waiting = await service.consume();
    expect([waiting.ready(), waiting.holds()]).toEqual([true, []]);
    const gone = once(child, 'exit');
    for (let n = 0; n < 20; n++) {
      if (n === 10) child.kill('SIGKILL');
      await commit(...keys.map((key) => fact(key, n)));
    }
    await gone;
    await expect.poll(() => countEffects(service)).toBe(200);
    expect(waiting.holds()).toEqual(['accounts']);
    for (const done of (await effects(service)).values()) expect(done).toEqual(numbers(20));
  });

  it('when the session with the turn dies in the middle of a batch and another process handles it first', async () => {
    const [account] = accounts(1) as [string];
    const other = await open();
    let goOn: () => void = () => undefined;
    const otherIsDone = new Promise<void>((resolve) => (goOn = resolve));
    let tries = 0;
    await service.consume({
      inside: async () => {
        tries += 1;
        if (tries > 1) return;
        // nothing of this transaction is committed, but it holds the row of its position
        await endReaders(service);
        await pause(700);
        await Promise.race([otherIsDone, pause(2_000)]);
      },
    });
    await commit(fact(account, 0));
    await expect.poll(() => tries).toBe(1);
    await other.consume({ after: () => goOn() });
    await commit(fact(account, 1));
    await expect.poll(() => countEffects(service)).toBe(2);
    await pause(2_500);
    expect((await effects(service)).get(account)).toEqual([0, 1]);
  });

  it('when a process that has lost its turn comes back with a batch that another one has handled', async () => {
    const [account] = accounts(1) as [string];
    const batch = await published(fact(account, 0), fact(account, 1), fact(account, 2));
    const stale = service.consumption();
    await stale.positions.load(service.bus.log.id, ['accounts']);
    await service.consumption().handle(batch.slice(0, 2));
    await expect(stale.handle(batch)).rejects.toThrow(/another process/);
    await expect(stale.handle(batch.slice(0, 1))).rejects.toThrow(/another process/);
    await stale.handle(batch.slice(2));
    expect((await effects(service)).get(account)).toEqual([0, 1, 2]);
  });

  it('when a relay publishes it twice: a service with a database of its own cannot append', async () => {
    const [account] = accounts(1) as [string];
    await service.consume();
    const event = fact(account, 0);
    await service.bus.publish([event]);
    await service.bus.publish([event, fact(account, 1)]);
    await expect.poll(() => countEffects(service)).toBe(2);
    expect((await effects(service)).get(account)).toEqual([0, 1]);
  });

  it('over events without a consumer, and never over a gap', async () => {
    const [account] = accounts(1) as [string];
    const unknown = { ...fact(account, 0), type: 'nobody-knows' };
    const batch = await published(unknown, fact(account, 0), fact(account, 1));
    const consuming = service.consumption();
    await consuming.positions.load(service.bus.log.id, ['accounts']);
    await expect(consuming.handle(batch.slice(1))).rejects.toThrow(/another process/);
    await consuming.handle(batch.slice(0, 1));
    await expect(consuming.handle(batch.slice(0, 1))).rejects.toThrow(/another process/);
    await consuming.handle(batch.slice(1));
    expect((await effects(service)).get(account)).toEqual([0, 1]);
  });

  it('and positions of another log mean nothing: its events are handled from the beginning', async () => {
    const { positions } = service.consumption();
    const [one, other] = [newId(), newId()];
    await positions.load(one, ['accounts']);
    const place = { log: one, after: 0, position: 7 };
    await service.dataSource.transaction((tx) => positions.move(tx, [{ stream: 'accounts', place }]));
    expect([...(await positions.load(one, ['accounts']))]).toEqual([['accounts', 7]]);
    await positions.rewind(one, ['accounts'], 5);
    expect([...(await positions.load(one, ['accounts']))]).toEqual([['accounts', 5]]);
    expect([...(await positions.load(other, ['accounts']))]).toEqual([['accounts', 0]]);
  });
});

/** Commits the events. @returns them as a reader of the bus is given them */
async function published(...events: EventEnvelope[]): Promise<ReceivedEvent[]> {
  const batch: ReceivedEvent[] = [];
  await commit(...events);
  const handle = async (received: readonly ReceivedEvent[]) => void batch.push(...received);
  const reading = await service.bus.subscribe({ group: 'reader', streams: ['accounts'], handle });
  await expect.poll(() => batch.length).toBe(events.length);
  await reading.stop();
  return batch;
}
