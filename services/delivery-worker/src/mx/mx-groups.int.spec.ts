import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { testDatabase } from '@postmesh/testing';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { waysOfSettings } from '../testing/ways-of-settings.js';
import { Ways } from '../ways/ways.js';
import { ForgetGroups } from './forget-groups.js';
import { MxGroups } from './mx-groups.js';

const eventually = <T>(look: () => T) => expect.poll(look);

const database = testDatabase();
let worker: WorkerUnderTest;

beforeAll(async () => {
  worker = await startWorker({ databaseUrl: database.url, port: 25 });
});
afterAll(() => worker?.stop());

/** The groups of another worker: with a memory of its own. */
const groupsOfWorker = (ways: Ways = worker.service.get(Ways)): MxGroups =>
  new MxGroups(worker.database, ways, worker.service.get<Logger>(LOGGER));
const keysOf = (groups: MxGroups, ...domains: string[]) => groups.keysOf(worker.database.manager, domains);
const rows = (domain: string) =>
  worker.database.query(
    `select group_key, (expires_at - looked_at)::text as kept from mx_domains where domain = $1`,
    [domain],
  );

describe('the groups of domains', () => {
  it('are unknown until a worker has resolved them, and then known to all workers', async () => {
    const [one, other] = [groupsOfWorker(), groupsOfWorker()];
    expect(await keysOf(one, 'Shop.test', 'shop.test', '[192.0.2.1]')).toEqual(
      new Map([
        ['Shop.test', 'd:shop.test'],
        ['shop.test', 'd:shop.test'],
        ['[192.0.2.1]', 'none'],
      ]),
    );
    one.learned('SHOP.test.', 'p:google');
    expect(await keysOf(one, 'shop.test')).toEqual(new Map([['shop.test', 'p:google']]));
    await eventually(() => rows('shop.test')).toEqual([{ group_key: 'p:google', kept: '7 days' }]);
    expect(await keysOf(other, 'Shop.test')).toEqual(new Map([['Shop.test', 'p:google']]));
  });

  it('are read once, all at once', async () => {
    groupsOfWorker().learned('known.test', 'm:1');
    await eventually(() => rows('known.test')).toHaveLength(1);
    const groups = groupsOfWorker();
    const query = vi.spyOn(worker.database.manager, 'query');
    const reads = () => query.mock.calls.filter(([text]) => text.includes('mx_domains')).length;
    await keysOf(groups, 'known.test', 'a.test', 'b.test');
    expect(reads()).toBe(1);
    await keysOf(groups, 'known.test', 'KNOWN.test');
    expect(reads()).toBe(1);
    query.mockRestore();
  });

  it('change when an attempt finds other hosts', async () => {
    const groups = groupsOfWorker();
    groups.learned('moved.test', 'm:1');
    await eventually(() => rows('moved.test')).toMatchObject([{ group_key: 'm:1' }]);
    groups.learned('moved.test', 'm:2');
    await eventually(() => rows('moved.test')).toMatchObject([{ group_key: 'm:2' }]);
    expect(groups.groupOf('moved.test')).toBe('m:2');
  });

  it('are forgotten when no worker has resolved them for a week', async () => {
    groupsOfWorker().learned('old.test', 'm:1');
    await eventually(() => rows('old.test')).toHaveLength(1);
    await worker.database.query(
      `update mx_domains set expires_at = now() - interval '1 s' where domain = 'old.test'`,
    );
    expect(await keysOf(groupsOfWorker(), 'old.test')).toEqual(new Map([['old.test', 'd:old.test']]));
    await worker.service.get(ForgetGroups).forget(new AbortController().signal);
    expect(await rows('old.test')).toEqual([]);
    expect(await rows('moved.test')).toHaveLength(1);
  });

  it('that could not be written are learned again', async () => {
    const groups = groupsOfWorker();
    const ask = worker.database.query.bind(worker.database);
    const query = vi.spyOn(worker.database, 'query').mockImplementation((text, ...more) => {
      if (text.includes('mx_domains')) return Promise.reject(new Error('the database is unavailable'));
      return ask(text, ...more);
    });
    groups.learned('away.test', 'm:1');
    await eventually(() => groups.groupOf('away.test')).toBeUndefined();
    query.mockRestore();
    groups.learned('away.test', 'm:1');
    await eventually(() => rows('away.test')).toHaveLength(1);
  });

  it('are one behind a relay, without any look-up', async () => {
    const relay = { host: 'relay.test', port: 25, implicitTls: false };
    const ways = await waysOfSettings({ egressRelays: [relay] });
    const groups = groupsOfWorker(ways);
    const query = vi.spyOn(worker.database.manager, 'query');
    const reads = () => query.mock.calls.filter(([text]) => text.includes('mx_domains'));
    expect(await keysOf(groups, 'shop.test', '[192.0.2.1]')).toEqual(
      new Map([
        ['shop.test', 'relay'],
        ['[192.0.2.1]', 'relay'],
      ]),
    );
    expect(reads()).toEqual([]);
    query.mockRestore();
    await ways.onModuleDestroy();
  });
});
