import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { trimBus } from '../src/embedded/housekeeping.js';
import { createEmbeddedBus, type EmbeddedBusOptions } from '../src/embedded/embedded-bus.js';
import { silentLogger, type EventBus } from '../src/event-bus.port.js';
import { fact, facts, keysOutOfOrder, withoutRepeats } from './facts.js';
import { listen } from './listener.js';
import { newDatabase, OwnPostgres, query } from './postgres.js';

let postgres: OwnPostgres;
let database: { url: string; drop: () => Promise<void> };
const buses: EventBus[] = [];

beforeAll(async () => {
  postgres = await OwnPostgres.start();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await newDatabase(postgres.server.url);
});
afterEach(async () => {
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
  await database.drop();
});

async function open(options: Partial<EmbeddedBusOptions> = {}): Promise<EventBus> {
  const bus = await createEmbeddedBus({ url: database.url, ...options });
  buses.push(bus);
  return bus;
}

const count = async (table: string): Promise<number> => {
  const [row] = await query(database.url, `select count(*)::integer as rows from bus.${table}`);
  return Number(row?.['rows']);
};

/** Ends the sessions that read for a group. */
const endReaders = (group: string) =>
  query(
    database.url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = $1 and datname = current_database()`,
    [`postmesh-bus-${group}`],
  );

describe('the embedded bus', () => {
  test('processes that start together on an empty database agree on its tables', async () => {
    await Promise.all(Array.from({ length: 5 }, () => open({ connections: 1 })));
    expect(await count('steps')).toBeGreaterThan(0);
  });

  test('is not ready while PostgreSQL is down, and continues when it is back', async () => {
    const bus = await open();
    const { diary } = await listen(bus, { group: 'readers' });
    const before = facts(10, 3);
    await bus.publish(before);
    await diary.until((written) => written.distinct() >= before.length);

    process.kill(postgres.server.pid, 'SIGKILL');
    await expect.poll(() => bus.ready()).toBe(false);
    await expect(bus.publish(facts(1, 1))).rejects.toThrow();
    await postgres.again();

    await expect.poll(() => bus.ready()).toBe(true);
    const after = Array.from({ length: 10 }, (_, key) => fact(`key-${key}`, 3));
    await bus.publish(after);
    await diary.until((written) => written.distinct() >= before.length + after.length);
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
  });

  test('counts what waits in a stream that only the release before had, and no lag where nothing does', async () => {
    const bus = await open();
    await listen(bus, { group: 'readers' });
    const lag = await bus.lag();
    expect(lag.map(({ group }) => group)).toContain('readers');
    await query(
      database.url,
      `insert into bus.groups (consumer_group, stream) values ('readers', 'of-the-release-before')`,
    );
    expect(await bus.lag()).toEqual(lag);
    await query(
      database.url,
      `insert into bus.log (stream, envelope, relayed) values ('of-the-release-before', '{}', false)`,
    );
    const unread = { group: 'readers', stream: 'of-the-release-before', behind: 1 };
    expect(await bus.lag()).toEqual(expect.arrayContaining([...lag, unread]));
  });

  test('a member that hangs loses its turn to one that lives', async () => {
    const bus = await open({ leaseMs: 2_000 });
    const silent = new pg.Client({ connectionString: database.url });
    silent.on('error', () => undefined);
    await silent.connect();
    await silent.query(`select pg_advisory_lock(727004, hashtext('readers'))`);
    await bus.publish([fact('key-0', 0)]);
    const { diary, subscription } = await listen(bus, { group: 'readers' });
    expect(subscription.holds()).toEqual([]);
    expect(subscription.ready()).toBe(true);
    await diary.until(({ events }) => events.length >= 1);
    await silent.end().catch(() => undefined);
  });

  test('a member that loses its connection in the middle of a batch reads on from its positions', async () => {
    const bus = await open();
    await bus.publish([fact('key-0', 0)]);
    let deliveries = 0;
    const { diary } = await listen(bus, {
      group: 'readers',
      first: async () => {
        deliveries += 1;
        if (deliveries === 1) await endReaders('readers');
      },
    });
    await diary.until(({ events }) => events.length >= 2);
    await bus.publish([fact('key-0', 1)]);
    await diary.until(({ events }) => events.length >= 3);
    expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
  });

  test('two processes that append to several streams at once do not wait for each other for ever', async () => {
    const buses = [await open(), await open()];
    const streams = ['messages', 'deliveries', 'domains', 'accounts'] as const;
    const publish = async (bus: EventBus, turn: number) => {
      for (let n = 0; n < 100; n++) {
        const inOrder = streams.map((stream) => fact(`${stream}-${turn}`, n, { stream }));
        await bus.publish((n + turn) % 2 === 0 ? inOrder : inOrder.reverse());
      }
    };
    await Promise.all(buses.map(publish));
    expect(await count('log')).toBe(800);
  });

  test('a log that is older than the positions of a group is read from its end, with a log line', async () => {
    const said: object[] = [];
    const logger = { ...silentLogger, error: (about: object) => void said.push(about) };
    const bus = await open({ logger });
    await bus.publish([fact('key-0', 0)]);
    await query(
      database.url,
      `insert into bus.groups (consumer_group, stream, position) values ('readers', 'messages', 1000000)`,
    );
    const { diary } = await listen(bus, { group: 'readers' });
    await bus.publish([fact('key-0', 1)]);
    await diary.until(({ events }) => events.length >= 1);
    expect(said).toMatchObject([{ event: 'group.rewound', streams: ['messages'] }]);
  });

  test('events arrive while no notification does, and soon again when the listening connection is back', async () => {
    const bus = await open();
    const { diary } = await listen(bus, { group: 'readers' });
    const listening = `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen bus' and datname = current_database()`;
    expect(await query(database.url, listening)).toHaveLength(1);
    for (let n = 0; n < 5; n++) {
      await bus.publish([fact('key-0', n)]);
      await diary.until(({ events }) => events.length > n);
    }
    await expect
      .poll(() => query(database.url, listening.replace('pg_terminate_backend(pid)', 'pid')))
      .toHaveLength(1);
    expect(keysOutOfOrder(diary.events)).toEqual([]);
  });
});

describe('the log', () => {
  let pool: pg.Pool;
  const { signal } = new AbortController();
  const trim = (keepMs: number) => trimBus(pool, { keepMs, signal });
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
    // the database is dropped under its idle connection
    pool.on('error', () => undefined);
  });
  afterEach(() => pool.end());

  test('is trimmed of what every group has passed and what is old enough, and of nothing else', async () => {
    const bus = await open();
    const fast = await listen(bus, { group: 'fast' });
    const slow = await listen(bus, { group: 'slow' });
    await slow.subscription.stop();
    await bus.publish(facts(300, 10));
    await bus.publish(facts(5, 2, { stream: 'domains' }));
    await fast.diary.until(({ events }) => events.length >= 3_000);
    await fast.subscription.stop();
    expect(await trim(0)).toBe(0);

    const late = await listen(bus, { group: 'slow' });
    await late.diary.until(({ events }) => events.length >= 3_000);
    await late.subscription.stop();
    expect(await trim(3_600_000)).toBe(0);
    expect(await trim(0)).toBe(3_000);
    expect(await count('log')).toBe(10);
  });

  // a run used to end after 50 pieces and is made every 30 seconds
  test('is trimmed until nothing is left, in pieces, and never waits for a publisher', async () => {
    await open();
    await query(
      database.url,
      `insert into bus.log (stream, envelope, relayed, written_at)
       select stream, '{}', false, now() - interval '8 days'
       from generate_series(1, 1010), unnest(array['messages', 'domains']) stream`,
    );
    const appending = new pg.Client({ connectionString: database.url });
    await appending.connect();
    await appending.query('begin');
    await appending.query(`select bus.append(array['messages'], array['{}'], false)`);
    expect(await trimBus(pool, { keepMs: 0, atOnce: 20, signal })).toBe(2_020);
    await appending.query('commit');
    await appending.end();
    expect(await count('log')).toBe(1);
  });

  test('does not wait for a group whose service was removed long ago', async () => {
    const bus = await open();
    const { subscription } = await listen(bus, { group: 'removed' });
    await subscription.stop();
    await bus.publish(facts(5, 2));
    await query(database.url, `update bus.groups set seen_at = now() - interval '31 days'`);
    await query(database.url, `update bus.log set written_at = now() - interval '8 days'`);
    expect(await trim(0)).toBe(10);
    expect(await count('groups')).toBe(0);
  });
});
