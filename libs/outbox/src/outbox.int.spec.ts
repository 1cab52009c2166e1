import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { AccountChanged, newId, type EventEnvelope } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createEmbeddedBus, type EventBus } from '@postmesh/event-bus';
import { createLogger, Metrics } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import { appendLeftovers, attachOutbox, Inbox, Outbox, OUTBOX_MIGRATIONS, OutboxRelay } from './index.js';

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

  const makeRelay = (through: Pick<EventBus, 'publish'>) =>
    new OutboxRelay({
      url: database.url,
      schema: 'accounts',
      bus: through as EventBus,
      dataSource,
      logger,
      metrics: new Metrics({ defaults: false }),
    });
  const startRelay = (through: Pick<EventBus, 'publish'> = bus) => {
    const relay = makeRelay(through);
    relay.start();
    relays.push(relay);
    return relay;
  };

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
    expect(await dataSource.query('select id from outbox')).toEqual([]);
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
    expect(received.map((one) => (one.data as { revision: number }).revision)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    await expect
      .poll(() => dataSource.query('select count(*)::int as left from outbox'))
      .toEqual([{ left: 0 }]);
  });

  it('publish what a crashed process left behind, once a relay lives again', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    received.length = 0;
    await dataSource.transaction((manager) => outbox.add(manager, [event(newId(), 1), event(newId(), 2)]));
    startRelay();
    await until(2);
    expect(received).toHaveLength(2);
  });

  it('keep an event while the bus refuses it, and say why', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    received.length = 0;
    let refuse = true;
    let refused: () => void = () => undefined;
    const wasRefused = new Promise<void>((resolve) => (refused = resolve));
    startRelay({
      publish: async (events) => {
        if (!refuse) return bus.publish(events);
        refused();
        throw new Error('the bus is away');
      },
    });
    await dataSource.transaction((manager) => outbox.add(manager, event(newId(), 1)));
    await wasRefused;
    await expect
      .poll(async () => (await dataSource.query('select last_error from outbox'))[0]?.last_error)
      .toBe('the bus is away');
    refuse = false;
    await until(1);
    await expect.poll(async () => (await dataSource.query('select 1 from outbox')).length).toBe(0);
  });

  it('leave to the log of the bus what waits when there is no relay any more', async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    received.length = 0;
    const account = newId();
    await dataSource.transaction((manager) => outbox.add(manager, [event(account, 1), event(account, 2)]));
    if (bus.log) await appendLeftovers(dataSource, bus.log);
    await until(2);
    expect(received.map((one) => (one.data as { revision: number }).revision)).toEqual([1, 2]);
    expect(await dataSource.query('select 1 from outbox')).toEqual([]);
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

  it('forget handled events after their time', async () => {
    const inbox = new Inbox();
    await dataSource.query(`insert into inbox (consumer, event_id) values ('a', $1)`, [newId()]);
    await dataSource.query(`update inbox set received_at = now() - interval '9 days'`);
    expect(await inbox.prune(dataSource, 8)).toBeGreaterThan(0);
    expect(await inbox.prune(dataSource, 8)).toBe(0);
  });
});
