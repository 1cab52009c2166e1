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

/** From now on a timer of so long fires soon; without a range: one of half a minute or more, after half a second. */
function hurry([least, most] = [30_000, Infinity], soonMs = 500): void {
  const wait = globalThis.setTimeout;
  const hurried = (run: () => void, ms = 0, ...given: []) =>
    wait(run, ms >= least && ms < most ? soonMs : ms, ...given);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(hurried as typeof setTimeout);
}

/** The connections that there are go without a word; the server answers others. */
async function loseConnections(): Promise<void> {
  proxy.swallow();
  await proxy.mend();
  hurry();
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

// In each pool the server ends a slow statement first: after a minute, or half a minute.
describe('a statement on a connection that is lost without a word ends automatically', () => {
  it('on a connection of the data source of a service', async () => {
    const runner = (await startService()).createQueryRunner();
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

// A question to the server, and the time that its answer has.
const QUESTIONS: [number, number] = [2_000, 10_000];

describe('a server that vanished without a word', () => {
  it('ends the statements and connections that wait for it, is not tried again, and is found again', async () => {
    const source = await startService();
    proxy.swallow();
    hurry(QUESTIONS, 200);
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

  it('is another one than a server that takes long', async () => {
    const source = await startService();
    hurry(QUESTIONS, 200);
    const before = proxy.accepted;
    await expect(source.query('select pg_sleep(1)')).resolves.toHaveLength(1);
    // it was asked
    expect(proxy.accepted).toBeGreaterThan(before);
  });
});
