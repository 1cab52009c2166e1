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

/** of libs/database/src/silent-servers.ts */
const TURN_MS = 100;
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

/** From now on the turns in which silence is counted come fast. */
function hurry(turnMs = 1): void {
  const wait = globalThis.setTimeout;
  const hurried = (run: () => void, ms = 0, ...given: []) =>
    wait(run, ms === TURN_MS ? turnMs : ms, ...given);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(hurried as typeof setTimeout);
}

/** @returns the data source of a service, which reaches its database through the proxy */
async function startService(): Promise<DataSource> {
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
  return under.service.get(DataSource);
}

const logger = createLogger({ logLevel: 'silent' }, 'test');

describe('connections that are lost without a word, to a server that lives', () => {
  it('end their statements in every pool, and a reader of the bus is reported as lost', async () => {
    const runner = (await startService()).createQueryRunner();
    await runner.connect();
    const bus = await createEmbeddedBus({ url: proxy.url, logger, connections: 1 });
    closing.push(() => bus.close());
    await bus.lag();
    const reader = await bus.subscribe({ group: 'readers', streams: ['messages'], handle: async () => {} });
    await expect.poll(() => reader.ready()).toBe(true);
    const jobs = await createJobs({ backend: { postgresUrl: proxy.url }, prefix: 'test', logger });
    closing.push(() => jobs.close());
    await jobs.backend.ping();
    proxy.swallow();
    await proxy.mend();
    hurry();
    const lost = /did not answer in time/;
    await Promise.all([
      expect(runner.query('select 1')).rejects.toThrow(lost),
      expect(bus.lag()).rejects.toThrow(lost),
      expect(jobs.backend.ping()).rejects.toThrow(lost),
      expect.poll(() => reader.ready()).toBe(false),
    ]);
    await runner.release();
  });

  it('are other ones than a connection whose statement takes long', async () => {
    const source = await startService();
    // a busy machine answers the questions in time
    hurry(10);
    const before = proxy.accepted;
    await expect(source.query('select pg_sleep(1.5)')).resolves.toHaveLength(1);
    // the server was asked, and its sessions were looked up
    expect(proxy.accepted).toBeGreaterThan(before + 1);
  });
});

describe('a server that vanished without a word', () => {
  it('ends the statements and connections that wait for it, is not tried again, and is found again', async () => {
    const source = await startService();
    proxy.swallow();
    hurry();
    // one of them has an idle connection, the other one makes its own
    const ended = await Promise.allSettled([source.query('select 1'), source.query('select 1')]);
    for (const one of ended)
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringMatching(/not answer/) },
      });
    await expect(source.query('select 1')).rejects.toThrow('the database does not answer');
    await proxy.mend();
    await expect.poll(() => source.query('select 1').catch(() => undefined)).toHaveLength(1);
  });
});
