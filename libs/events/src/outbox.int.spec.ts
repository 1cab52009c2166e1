import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { Notifications, openDatabase } from '@postmesh/database';
import { createLogger, Metrics } from '@postmesh/observability';
import { CuttableProxy, testDatabase } from '@postmesh/testing';
import { trimLog } from './log/trim-log.js';
import { OutboxRelay, type RelayOptions } from './relay.js';
import { appendLeftovers, appendOldOutbox, attachOutbox, Outbox, unpublished } from './outbox.js';
import { Inbox } from './inbox.js';
import { listDeadLetters, pruneDeadLetters } from './dead-letters.js';
import { LostStreams } from './lost-streams.js';
import { OUTBOX_MIGRATIONS } from './outbox.migrations.js';
import { pruneCrashNotes } from './consumption/crash-watch.js';
import { createEmbeddedBus } from './embedded/embedded-bus.js';
import { silentLogger, type EventBus } from './event-bus.port.js';
import { AccountChanged } from './testing/sample-events.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');

function event(account: string, revision: number): EventEnvelope {
  return AccountChanged.make(
    { account_id: account, parent_account_id: null, state: 'active', revision },
    { account_id: account },
  );
}

describe('outbox, relay and inbox', () => {
  const database = testDatabase();
  const outbox = new Outbox();
  let dataSource: DataSource;
  let bus: EventBus;
  const relays: OutboxRelay[] = [];
  const received: EventEnvelope[] = [];
  let onReceived: () => void = () => undefined;

  const makeRelay = (through: Pick<EventBus, 'publish'>, more: Partial<RelayOptions> = {}) =>
    new OutboxRelay({
      url: database.url,
      schema: 'accounts',
      bus: through as EventBus,
      dataSource,
      logger,
      metrics: new Metrics({ defaults: false }),
      ...more,
    });
  const startRelay = (through: Pick<EventBus, 'publish'> = bus, more: Partial<RelayOptions> = {}) => {
    const relay = makeRelay(through, more);
    relay.start();
    relays.push(relay);
    return relay;
  };

  const { signal } = new AbortController();
  const waiting = async () => (await unpublished(dataSource, 100)).count;
  const revisions = () => received.map((one) => (one.data as { revision: number }).revision);

  const until = (count: number) =>
    new Promise<void>((resolve) => {
      onReceived = () => {
        if (received.length >= count) resolve();
      };
      onReceived();
    });

  beforeAll(async () => {
    dataSource = await openDatabase({
      url: database.url,
      schema: 'accounts',
      entities: [],
      migrations: OUTBOX_MIGRATIONS,
      poolSize: 4,
      logger,
    });
    bus = await createEmbeddedBus({ url: database.url });
    const { write } = makeRelay(bus).sink();
    attachOutbox(dataSource, {
      write,
      committed: (streams) => relays.forEach((relay) => relay.sink().committed(streams)),
    });
    await bus.subscribe({
      group: 'test',
      streams: ['accounts'],
      handle: async (events) => {
        received.push(...events.map((one) => JSON.parse(one.text) as EventEnvelope));
        onReceived();
      },
    });
  });

  afterAll(async () => {
    for (const relay of relays) await relay.stop();
    await bus?.close();
    await dataSource?.destroy();
  });

  it('refuse an event outside the transaction of its change', async () => {
    await expect(outbox.add(dataSource.manager, event(newId(), 1))).rejects.toThrow(/transaction/);
  });

  it('refuse an event that no bus would take, and its change with it', async () => {
    const huge = event('x'.repeat(1_000_000), 1);
    await expect(dataSource.transaction((manager) => outbox.add(manager, huge))).rejects.toThrow(
      /larger than/,
    );
    expect(await dataSource.query('select from log')).toEqual([]);
  });

  it('publish what was committed, in order, and nothing that was rolled back', async () => {
    startRelay();
    const account = newId();
    received.length = 0;
    for (let revision = 1; revision <= 20; revision++) {
      await dataSource.transaction((manager) => outbox.add(manager, event(account, revision)));
      await dataSource
        .transaction(async (manager) => {
          await outbox.add(manager, event(account, 1_000 + revision));
          throw new Error('no');
        })
        .catch(() => undefined);
    }
    await until(20);
    expect(revisions()).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    await expect.poll(waiting).toBe(0);
  });

  it('publish what a crashed process left behind, once a relay lives again', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    received.length = 0;
    await dataSource.transaction((manager) => outbox.add(manager, [event(newId(), 1), event(newId(), 2)]));
    startRelay();
    await until(2);
    expect(received).toHaveLength(2);
  });

  it('keep an event while the bus refuses it, and log why', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    received.length = 0;
    let refuse = true;
    const said: object[] = [];
    const warn = (about: object) => void said.push(about);
    startRelay(
      {
        publish: async (events) => {
          if (!refuse) return bus.publish(events);
          throw new Error('the bus is away');
        },
      },
      { logger: { ...silentLogger, warn } as never },
    );
    await dataSource.transaction((manager) => outbox.add(manager, event(newId(), 1)));
    await expect
      .poll(() => said)
      .toMatchObject([{ event: 'batch.failed', err: { message: 'the bus is away' } }]);
    expect(await unpublished(dataSource, 100)).toEqual({ count: 1, seconds: expect.any(Number) });
    refuse = false;
    await until(1);
    await expect.poll(waiting).toBe(0);
  });

  it('leave to the log of the bus what waits when there is no relay any more', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    received.length = 0;
    const account = newId();
    await dataSource.transaction((manager) => outbox.add(manager, [event(account, 1), event(account, 2)]));
    if (bus.log) await appendLeftovers(dataSource, bus.log);
    await until(2);
    expect(revisions()).toEqual([1, 2]);
    expect(await waiting()).toBe(0);
  });

  it('publish what the previous release has left, once its relay is gone', async () => {
    received.length = 0;
    const account = newId();
    const texts = [1, 2, 3].map((revision) => JSON.stringify(event(account, revision)));
    await dataSource.query(`insert into kept_events values ('accounts', now(), 1, 2, $1)`, [
      texts.slice(0, 2).join('\n'),
    ]);
    await dataSource.query(`insert into outbox (stream, key, envelope) values ('accounts', $1, $2)`, [
      account,
      texts[2],
    ]);
    await dataSource.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(727002, hashtext('accounts'))`);
      await appendOldOutbox(dataSource, 'accounts');
      expect(await waiting()).toBe(0);
    });
    await appendOldOutbox(dataSource, 'accounts');
    startRelay();
    await until(3);
    expect(revisions()).toEqual([1, 2, 3]);
    expect(await dataSource.query('select from outbox union all select from kept_events')).toEqual([]);
    for (const relay of relays.splice(0)) await relay.stop();
  });

  it('let only one relay of a service be active, and another take over when it ends', async () => {
    received.length = 0;
    startRelay();
    const second = startRelay();
    await relays[0]?.stop();
    await dataSource.transaction((manager) => outbox.add(manager, event(newId(), 7)));
    await until(1);
    expect(received).toHaveLength(1);
    await second.stop();
  });

  it('keep what is published for a time and a number of events, and what is not published always', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    await dataSource.transaction((manager) =>
      outbox.add(
        manager,
        [1, 2].map((n) => event(newId(), n)),
      ),
    );
    await dataSource.query(`update log set written_at = now() - interval '9 days'`);
    const trim = (bounds: { keepMs: number; mostEvents?: number }) =>
      trimLog((work) => dataSource.transaction((tx) => work((text, values) => tx.query(text, values))), {
        schema: 'accounts',
        signal,
        ...bounds,
      });
    const left = async () => (await dataSource.query('select from log')).length;
    await trim({ keepMs: 0 });
    expect(await left()).toBe(2);
    startRelay();
    await expect.poll(waiting).toBe(0);
    for (const relay of relays.splice(0)) await relay.stop();
    expect(await trim({ keepMs: 10 * 86_400_000 })).toBe(0);
    expect(await trim({ keepMs: 10 * 86_400_000, mostEvents: 1 })).toBe(1);
    expect(await trim({ keepMs: 8 * 86_400_000 })).toBe(1);
    expect(await left()).toBe(0);
  });

  it('let another relay take over when the leader vanishes without a word, and the leader come back', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    received.length = 0;
    const proxy = await CuttableProxy.start(database.url);
    const publishers: string[] = [];
    const named = (name: string): Pick<EventBus, 'publish'> => ({
      publish: async (events) => {
        publishers.push(name);
        await bus.publish(events);
      },
    });
    const add = () => dataSource.transaction((manager) => outbox.add(manager, event(newId(), 1)));
    startRelay(named('far'), { url: proxy.url, leaseMs: 2_000 });
    await add();
    await until(1);
    // the bus has it before the position has moved; what is left is published twice
    await expect.poll(waiting).toBe(0);
    const near = startRelay(named('near'), { leaseMs: 2_000 });
    proxy.swallow();
    await add();
    await until(2);
    expect(publishers).toEqual(['far', 'near']);
    await proxy.mend();
    await near.stop();
    await add();
    await until(3);
    expect(publishers.at(-1)).toBe('far');
    for (const relay of relays.splice(0)) await relay.stop();
    await proxy.cut();
  });

  it('come again to a listener whose way to the server vanished', async () => {
    const proxy = await CuttableProxy.start(database.url);
    const came: string[] = [];
    let connections = 0;
    const listener = new Notifications({
      url: proxy.url,
      channel: 'vanished',
      applicationName: 'test',
      logger,
      silenceMs: 1_000,
      onNotification: (payload) => came.push(payload),
      onConnected: () => (connections += 1),
    });
    await listener.start();
    proxy.swallow();
    await dataSource.query(`select pg_notify('vanished', 'lost')`);
    await proxy.mend();
    await expect.poll(() => connections).toBeGreaterThan(1);
    const told = async () => {
      await dataSource.query(`select pg_notify('vanished', 'received')`);
      return came;
    };
    await expect.poll(told).toContain('received');
    expect(came).not.toContain('lost');
    await listener.stop();
    await proxy.cut();
  });

  // a bus counts as not ready from a publish that failed until one that succeeds, and the relay may have nothing to publish
  it('publish a lost stream again after a publish that failed, though nothing else is published', async () => {
    await dataSource.query('delete from log');
    const lost = [event(newId(), 1), event(newId(), 2)];
    await dataSource.transaction((tx) => outbox.add(tx, lost));
    await dataSource.query(
      `insert into groups (consumer_group, stream, position) select 'accounts.relay', stream, position from log
       order by position desc limit 1 on conflict (consumer_group, stream) do update set position = excluded.position`,
    );
    const found = new Map<string, number>();
    const again: EventEnvelope[][] = [];
    let isReady = true;
    const flaky = {
      ready: () => isReady,
      publish: async (events: readonly EventEnvelope[]) => {
        isReady = again.push([...events]) > 1;
        if (!isReady) throw new Error('no answer');
      },
    };
    const marks: NonNullable<EventBus['marks']> = {
      read: async (_publisher, stream) => found.get(stream),
      write: async (_publisher, stream, mark) => void found.set(stream, mark),
    };
    const metrics = new Metrics({ defaults: false });
    const about = { bus: flaky, marks, dataSource, logger, metrics, graceMs: 0 };
    const streams = new LostStreams({ ...about, service: 'accounts', schema: 'accounts' });
    await streams.look(signal);
    await streams.look(signal);
    await expect(streams.look(signal)).rejects.toThrow('no answer');
    await streams.look(signal);
    expect(again.map((events) => events.map(({ id }) => id))).toEqual(
      [lost, lost].map((events) => events.map(({ id }) => id)),
    );
  });

  const pieces = { piece: 10, signal };

  // one run used to end after 50 batches and was made once in ten minutes: 1,667 rows a second
  it('deletes old rows of the inbox, however many, and leaves out locked ones', async () => {
    const inbox = new Inbox();
    await dataSource.query('delete from inbox');
    await dataSource.query(
      `insert into inbox (consumer, event_id, received_at)
       select 'a', gen_random_uuid(), now() - interval '9 days' + n * interval '1 second' from generate_series(1, 1005) n`,
    );
    await dataSource.query(`insert into inbox (consumer, event_id) values ('young', $1)`, [newId()]);
    await dataSource.transaction(async (tx) => {
      const [chosen] = await tx.query('select event_id from inbox order by received_at offset 500 limit 1');
      await tx.query('select from inbox where event_id = $1 for update', [chosen.event_id]);
      expect(await inbox.prune(dataSource, { days: 8, ...pieces })).toBe(1_004);
    });
    expect(await inbox.prune(dataSource, { days: 8, signal })).toBe(1);
    expect(await dataSource.query('select consumer from inbox')).toEqual([{ consumer: 'young' }]);
  });

  it('forgets the crashes of events that no bus delivers any more', async () => {
    await dataSource.query(
      `insert into event_crashes (event_id, crashes, noted_at)
       values ('old', 1, now() - interval '9 days'), ('young', 1, now() - interval '7 days')`,
    );
    await pruneCrashNotes(dataSource, { days: 8, signal });
    expect(await dataSource.query('select event_id from event_crashes')).toEqual([{ event_id: 'young' }]);
  });

  it('deletes dead letters that were not replayed in time, and leaves out those that are being replayed', async () => {
    await dataSource.query(
      `insert into dead_letters (consumer, event_id, stream, kind, reason, envelope, died_at)
       select 'a', n::text, 'messages', 'poison', 'r', '{}', now() - interval '31 days' from generate_series(1, 105) n`,
    );
    await dataSource.query(`update dead_letters set died_at = now() where event_id = '7'`);
    await dataSource.transaction(async (tx) => {
      await tx.query(`select from dead_letters where event_id = '50' for update`);
      expect(await pruneDeadLetters(dataSource, { days: 30, ...pieces })).toBe(103);
    });
    expect(await pruneDeadLetters(dataSource, { days: 30, signal })).toBe(1);
    const left = await listDeadLetters(dataSource, { limit: 10 });
    expect(left.map(({ eventId }) => eventId)).toEqual(['7']);
  });
});
