import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Permits } from '@postmesh/concurrency';
import { newId, Transient, type EventEnvelope } from '@postmesh/contracts';
import { openDatabase, SessionMark } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { buildTestScript, testDatabase } from '@postmesh/testing';
import { listDeadLetters } from '../dead-letters.js';
import { OUTBOX_MIGRATIONS } from '../outbox.migrations.js';
import type { EventFailure } from './batch-entries.js';
import { CrashWatch } from './crash-watch.js';
import { EventConsumption } from './event-consumption.js';
import { createEmbeddedBus } from '../embedded/embedded-bus.js';
import type { ReceivedEvent } from '../event-bus.port.js';
import { AccountChanged } from '../testing/sample-events.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');
const database = testDatabase();
const marks: SessionMark[] = [];
let dataSource: DataSource;

beforeAll(async () => {
  dataSource = await openDatabase({
    url: database.url,
    schema: 'messages',
    entities: [],
    migrations: OUTBOX_MIGRATIONS,
    poolSize: 6,
    logger,
  });
  await dataSource.query(
    'create table effects (position bigint generated always as identity, n int, together int)',
  );
});
afterAll(() => dataSource?.destroy());
beforeEach(() => dataSource.query('truncate effects, dead_letters, inbox, consumer_runs, event_crashes'));
afterEach(async () => {
  for (const mark of marks.splice(0)) await mark.stop();
});

function changed(revision: number): EventEnvelope {
  const account_id = newId();
  const fact = { account_id, parent_account_id: null, state: 'active' as const, revision };
  return AccountChanged.make(fact, { account_id });
}

let place = 0;
const received = (...events: EventEnvelope[]): ReceivedEvent[] =>
  events.map((event) => ({
    stream: event.stream,
    at: `${event.stream}/0/${(place += 1)}`,
    text: JSON.stringify(event),
    mayRepeat: true,
  }));
const idOf = ({ text }: ReceivedEvent): string => (JSON.parse(text) as EventEnvelope).id;

/** A run of the service, as far as crashes are concerned. */
async function startRun(suspects = new Permits(1)) {
  const mark = new SessionMark({ url: database.url, applicationName: 'crash-watch', logger });
  marks.push(mark);
  const watch = new CrashWatch({ dataSource, mark, logger, suspects });
  await watch.begin();
  return {
    watch,
    stopInOrder: async () => {
      await watch.end();
      await mark.stop();
    },
    /** with this batch in flight: of a careful run the first slice of it */
    crashWith: async (batch: readonly ReceivedEvent[]) => {
      const begun = new Promise<readonly ReceivedEvent[]>((resolve) => {
        void watch.handle(batch, (slice) => {
          resolve(slice);
          return new Promise(() => undefined);
        });
      });
      const slice = await begun;
      await mark.stop();
      return slice;
    },
  };
}

/** what a run is given together, and what is not handled */
async function handledBy(watch: CrashWatch, batch: readonly ReceivedEvent[]) {
  const slices: number[] = [];
  const setAside: EventFailure[] = [];
  await watch.handle(batch, async (slice, failure) => {
    slices.push(slice.length);
    if (failure) setAside.push(failure);
  });
  return { slices, setAside };
}

/** the service's own role may not terminate sessions, nor read the waits of others */
async function asAdministrator(statement: string): Promise<unknown[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

/** as a restart of PostgreSQL does */
const endSessionsOfMarks = () =>
  asAdministrator(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'crash-watch' and pid <> pg_backend_pid() and datname = current_database()`);

/** Two events that were in flight at a crash each, and two runs of a process that handles one of them at a time. */
async function twoSuspects() {
  const [first, second] = [received(changed(1)), received(changed(2))];
  await (await startRun()).crashWith(received(changed(0)));
  await (await startRun()).crashWith(first);
  await (await startRun()).crashWith(second);
  const suspects = new Permits(1);
  return { first, second, suspects, one: await startRun(suspects), other: await startRun(suspects) };
}

const notes = (): Promise<{ event_id: string; crashes: number }[]> =>
  dataSource.query('select event_id, crashes from event_crashes order by crashes desc, event_id');
const runs = () => dataSource.query('select mark from consumer_runs');

describe('a run', () => {
  it('after a stop in order writes no note and leaves nothing behind', async () => {
    await (await startRun()).stopInOrder();
    expect(await runs()).toEqual([]);
    const { watch, stopInOrder } = await startRun();
    const seen: unknown[] = [];
    await watch.handle(received(changed(1), changed(2)), async () => void seen.push(...(await notes())));
    expect(seen).toEqual([]);
    await stopInOrder();
    expect(await runs()).toEqual([]);
  });

  it('after a stop in order executes no statement for a batch', async () => {
    await (await startRun()).stopInOrder();
    const { watch } = await startRun();
    const statements = [vi.spyOn(dataSource, 'query'), vi.spyOn(dataSource, 'transaction')];
    await watch.handle(received(changed(1), changed(2)), async () => undefined);
    for (const spy of statements) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('writes no note next to live processes', async () => {
    await startRun();
    const { watch } = await startRun();
    const seen: unknown[] = [];
    await watch.handle(received(changed(1)), async () => void seen.push(...(await notes())));
    expect(seen).toEqual([]);
  });

  it('after a crash notes what is in flight, and forgets what is handled', async () => {
    await (await startRun()).crashWith(received(changed(1)));
    const { watch } = await startRun();
    const batch = received(changed(1), changed(2));
    const seen: unknown[] = [];
    await watch.handle(batch, async () => void seen.push(...(await notes())));
    expect(seen).toHaveLength(2);
    expect(await notes()).toEqual([]);
  });

  it('is careful with others that begin after the same crash, until its time is over', async () => {
    await (await startRun()).crashWith(received(changed(1)));
    const isCareful = async () => {
      const { watch } = await startRun();
      let seen = 0;
      await watch.handle(received(changed(1)), async () => void (seen = (await notes()).length));
      return seen === 1;
    };
    expect([await isCareful(), await isCareful()]).toEqual([true, true]);
    await dataSource.query(`update consumer_runs set ended_at = ended_at - interval '10 minutes'`);
    expect(await isCareful()).toBe(false);
  });

  it('that lives has its row under the new mark after its session was lost, and puts no run into recovery mode', async () => {
    const { stopInOrder } = await startRun();
    const [lost] = await runs();
    await endSessionsOfMarks();
    await expect.poll(runs).not.toContainEqual(lost);
    expect(await runs()).toEqual([{ mark: await marks[0]?.current() }]);
    const next = await startRun();
    const seen: unknown[] = [];
    await next.watch.handle(received(changed(1)), async () => void seen.push(...(await notes())));
    expect(seen).toEqual([]);
    for (const stop of [stopInOrder, next.stopInOrder]) await stop();
    expect(await runs()).toEqual([]);
  });

  it('that is careful handles nothing after its end, and leaves no row', async () => {
    await (await startRun()).crashWith(received(changed(1)));
    const { watch } = await startRun();
    await dataSource.query('delete from consumer_runs where ended_at is not null');
    await watch.end();
    const late = watch.handle(received(changed(2)), async () => undefined);
    await expect(late).rejects.toThrow(Transient);
    expect([await runs(), await notes()]).toEqual([[], []]);
  });

  it('that ends while its row moves to the new mark leaves none', async () => {
    const { watch } = await startRun();
    const [before] = await runs();
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      and query like 'delete from consumer_runs%'`;
    let ended: Promise<void> | undefined;
    await dataSource.transaction(async (holder) => {
      await holder.query('select from consumer_runs where mark = $1 for update', [before.mark]);
      await endSessionsOfMarks();
      await expect.poll(() => asAdministrator(waits)).toHaveLength(1);
      ended = watch.end();
    });
    await ended;
    expect(await runs()).toEqual([]);
  });
});

describe('an event that was in flight at crashes', () => {
  it('is handled with few others, then alone, and set aside after the fifth', async () => {
    const batch = received(...Array.from({ length: 60 }, (_, n) => changed(n)));
    await (await startRun()).crashWith(batch);
    const inFlight: number[] = [];
    let left: readonly ReceivedEvent[] = batch;
    for (let crash = 1; crash <= 5; crash++) {
      left = await (await startRun()).crashWith(left);
      inFlight.push(left.length);
    }
    expect(inFlight).toEqual([60, 25, 1, 1, 1]);
    const { watch } = await startRun();
    const { slices, setAside } = await handledBy(watch, batch);
    expect(setAside).toEqual([
      { kind: 'bug', reason: 'set aside: its consumer ended with its process 5 times', crashes: 5 },
    ]);
    expect(slices).toEqual([...Array.from({ length: 25 }, () => 1), 25, 10]);
    expect(await notes()).toEqual([]);
  });

  it('is not counted when it failed, nor at a stop in order', async () => {
    await (await startRun()).crashWith(received(changed(1)));
    const batch = received(changed(1));
    const second = await startRun();
    const failing = second.watch.handle(batch, () => Promise.reject(new Transient('busy')));
    await expect(failing).rejects.toThrow('busy');
    await second.crashWith(received(changed(2)));
    const third = await startRun();
    void third.watch.handle(batch, () => new Promise(() => undefined));
    await expect.poll(async () => (await notes()).map(({ event_id }) => event_id)).toContain(idOf(batch[0]!));
    await third.stopInOrder();
    const { watch } = await startRun();
    await handledBy(watch, batch);
    expect((await notes()).filter(({ crashes }) => crashes > 0)).toEqual([]);
  });

  it('is not counted when the session of a process that lives was lost', async () => {
    await (await startRun()).crashWith(received(changed(1)));
    const { watch } = await startRun();
    const batch = received(changed(1));
    await expect(
      watch.handle(batch, async () => {
        await endSessionsOfMarks();
        throw new Transient('busy');
      }),
    ).rejects.toThrow('busy');
    const handled = async () => handledBy(watch, batch).catch(() => undefined);
    await expect.poll(handled).toEqual({ slices: [1], setAside: [] });
    expect(await notes()).toEqual([]);
    expect(await runs()).toHaveLength(2);
  });

  it('is in flight while no other one of its process is that may be the cause', async () => {
    const { first, second, one, other } = await twoSuspects();
    const order: string[] = [];
    let finish: () => void = () => undefined;
    const slow = one.watch.handle(first, async () => {
      order.push('first begins');
      await new Promise<void>((resolve) => (finish = resolve));
      order.push('first ends');
    });
    await expect.poll(() => order).toEqual(['first begins']);
    const waiting = other.watch.handle(second, async () => void order.push('second'));
    // an event that is not suspected does not wait
    await other.watch.handle(received(changed(3)), async () => void order.push('third'));
    finish();
    await Promise.all([slow, waiting]);
    expect(order).toEqual(['first begins', 'third', 'first ends', 'second']);
  });

  it('does not wait for its turn any longer when the stop of its run begins', async () => {
    const { first, second, suspects, one, other } = await twoSuspects();
    let finish: () => void = () => undefined;
    const slow = one.watch.handle(first, () => new Promise<void>((resolve) => (finish = resolve)));
    await expect.poll(() => suspects.inUse).toBe(1);
    const handled: unknown[] = [];
    const waiting = other.watch.handle(second, async (slice) => void handled.push(...slice));
    const refused = expect(waiting).rejects.toThrow(Transient);
    // it has come to its turn
    await expect.poll(() => dataSource.query('select from event_crashes where mark is null')).toHaveLength(1);
    other.watch.refuse();
    await refused;
    finish();
    await slow;
    expect([handled, suspects.inUse]).toEqual([[], 0]);
  });

  it('becomes a dead letter that is not parsed, and can be replayed', async () => {
    const { watch } = await startRun();
    const [fatal] = received(changed(7));
    await dataSource.query('insert into event_crashes (event_id, crashes) values ($1, 5)', [idOf(fatal!)]);
    // a crash puts the next run into recovery mode
    await (await startRun()).crashWith(received(changed(1)));
    const careful = await startRun();
    const parsed: number[] = [];
    const event = Object.assign(Object.create(AccountChanged as object), {
      parse: (envelope: EventEnvelope) => {
        parsed.push((envelope.data as { revision: number }).revision);
        return AccountChanged.parse(envelope);
      },
    });
    const handled: number[] = [];
    const died: string[] = [];
    const consumer = {
      name: 'messages.sample',
      event,
      handle: async (_: unknown, events: EventEnvelope[]) =>
        void handled.push(...events.map(({ data }) => (data as { revision: number }).revision)),
    };
    const under = new EventConsumption({
      service: 'messages',
      dataSource,
      consumers: [consumer],
      logger,
      crashes: careful.watch,
      observer: { died: (kind) => void died.push(kind) },
    });
    await under.handle([...received(changed(6)), fatal!, ...received(changed(8))]);
    expect([parsed, handled, died]).toEqual([[6, 8], [6, 8], ['bug']]);
    expect(await listDeadLetters(dataSource, { limit: 9 })).toMatchObject([
      {
        consumer: 'messages.sample',
        eventId: idOf(fatal!),
        reason: expect.stringMatching(/^set aside: .* 5 times$/),
      },
    ]);
    expect(await under.replay({})).toEqual({ replayed: 1, failed: 0 });
    expect(handled).toEqual([6, 8, 7]);
    await watch.end();
  });
});

describe('a process that an event brings down', () => {
  const children: ChildProcess[] = [];
  afterEach(() => children.forEach((child) => child.kill('SIGKILL')));

  it('ends six times; then the event is a dead letter, and those around it are handled once, in order', async () => {
    const script = await buildTestScript(
      join(import.meta.dirname, '..', '..'),
      'testing/crashing-consumer.ts',
    );
    const bus = await createEmbeddedBus({ url: database.url });
    const fatal = 20;
    const events = Array.from({ length: 41 }, (_, n) => changed(n));
    await bus.publish(events);
    await bus.close();
    const start = () => {
      const child = spawn(process.execPath, [script, database.url, String(fatal)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      return child;
    };
    const handled = async () =>
      (await dataSource.query('select n from effects order by position')).map(({ n }: { n: number }) => n);
    for (let crash = 1; crash <= 6; crash++) {
      const [, signal] = (await once(start(), 'exit')) as [number | null, string];
      expect(signal).toBe('SIGKILL');
      expect(await listDeadLetters(dataSource, { limit: 1 })).toEqual([]);
    }
    const last = start();
    await expect.poll(handled).toContain(40);
    const others = events.map((_, n) => n).filter((n) => n !== fatal);
    expect(await handled()).toEqual(others);
    expect(await listDeadLetters(dataSource, { limit: 9 })).toMatchObject([
      { eventId: events[fatal]?.id, reason: 'set aside: its consumer ended with its process 5 times' },
    ]);
    const ended = once(last, 'exit');
    last.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await dataSource.query('select from consumer_runs where ended_at is null')).toEqual([]);
  });
});
