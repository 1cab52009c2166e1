import { Module } from '@nestjs/common';
import { createEmbeddedBus } from '@postmesh/events';
import { createJobs } from '@postmesh/work';
import { createLogger } from '@postmesh/observability';
import { CuttableProxy, testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestService } from './index.js';

@Module({})
class NoModule {}

const database = testDatabase();
const closing: (() => Promise<unknown>)[] = [];
let proxy: CuttableProxy;

beforeEach(async () => {
  proxy = await CuttableProxy.start(database.url);
});
afterEach(async () => {
  vi.restoreAllMocks();
  // a goodbye would be swallowed, too
  await proxy.cut();
  for (const close of closing.splice(0)) await close();
});

/** From now on a timer of half a minute or more fires after half a second. */
function hurry(): void {
  const wait = globalThis.setTimeout;
  const hurried = (run: () => void, ms = 0, ...given: []) => wait(run, ms >= 30_000 ? 500 : ms, ...given);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(hurried as typeof setTimeout);
}

/** The connections that there are go without a word; the server answers others. */
async function loseConnections(): Promise<void> {
  proxy.swallow();
  await proxy.mend();
  hurry();
}

const logger = createLogger({ logLevel: 'silent' }, 'test');

// In each pool the server ends a slow statement first: after a minute, or half a minute.
describe('a statement on a connection that is lost without a word ends automatically', () => {
  it('on a connection of the data source of a service', async () => {
    const definition = {
      name: 'marketing',
      module: NoModule,
      database: { entities: [], migrations: [] },
    } as const;
    const under = await startTestService(definition, {
      databaseUrl: database.url,
      settings: { logLevel: 'silent', marketingDatabaseUrl: proxy.url },
    });
    closing.push(() => under.stop());
    const runner = under.service.get(DataSource).createQueryRunner();
    await runner.connect();
    await loseConnections();
    await expect(runner.query('select 1')).rejects.toThrow(/did not answer .*65000 ms/);
    await runner.release();
  });

  it('on a connection of the embedded bus', async () => {
    const bus = await createEmbeddedBus({ url: proxy.url, logger, connections: 1 });
    closing.push(() => bus.close());
    await bus.lag();
    await loseConnections();
    await expect(bus.lag()).rejects.toThrow(/did not answer .*35000 ms/);
  });

  it('on the connection by which a group reads from the embedded bus, which is reported as lost', async () => {
    const bus = await createEmbeddedBus({ url: proxy.url, logger });
    closing.push(() => bus.close());
    // it reads all the time, and the read that meets the silence may have begun before it
    hurry();
    const reader = await bus.subscribe({ group: 'readers', streams: ['messages'], handle: async () => {} });
    await expect.poll(() => reader.ready()).toBe(true);
    proxy.swallow();
    await proxy.mend();
    await expect.poll(() => reader.ready()).toBe(false);
  });

  it('on a connection of the periodic jobs', async () => {
    const jobs = await createJobs({ backend: { postgresUrl: proxy.url }, prefix: 'test', logger });
    closing.push(() => jobs.close());
    const { backend } = jobs;
    await backend.ping();
    await loseConnections();
    await expect(backend.ping()).rejects.toThrow(/did not answer .*35000 ms/);
  });
});
