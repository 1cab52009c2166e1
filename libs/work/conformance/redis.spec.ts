import { loadSettings } from '@postmesh/settings';
import { CuttableProxy, realPart } from '@postmesh/testing';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobs } from '../src/periodic/jobs.js';
import { BenchProcess, type JobsDriver } from './bench-of-jobs.js';
import { describePeriodicWork } from './periodic-work.suite.js';

const given = realPart('REDIS_URL', loadSettings().redisUrl);
// a database number of its own: this suite flushes it and cuts its connections, others use the rest
const DATABASE = 13;
/** TCP would need a quarter of an hour */
const LOST_MS = 60_000;
const redisUrl = given === undefined ? '' : new URL(`/${DATABASE}`, given).href;

describe.runIf(given !== undefined)('jobs on Redis', () => {
  let redis: Redis;
  const driver: JobsDriver = {
    backend: { redisUrl },
    cutConnections: async () => {
      const own = await redis.client('ID');
      const clients = String(await redis.client('LIST')).split('\n');
      const ids = clients
        .filter((line) => line.includes(` db=${DATABASE} `))
        .map((line) => /^id=(\d+) /.exec(line)?.[1] ?? '');
      for (const id of ids) if (id !== String(own)) await redis.client('KILL', 'ID', Number(id));
    },
    forgetEverything: async () => {
      await redis.flushdb();
    },
  };

  beforeAll(() => {
    redis = new Redis(redisUrl);
  });
  afterAll(() => redis.disconnect());

  describePeriodicWork(() => driver);

  it('are done by a service that starts before Redis does, and that meets none once more while it starts', async () => {
    await redis.flushdb();
    const proxy = await CuttableProxy.start(redisUrl);
    await proxy.cut();
    const awaited: string[] = [];
    const mend = {
      write: (line: string) => {
        const { event, what } = JSON.parse(line) as { event: string; what: string };
        if (event !== 'redis.awaited') return;
        awaited.push(what);
        void proxy.mend();
      },
    };
    const logger = pino({ level: 'warn' }, mend);
    const connection = await createJobs({ backend: { redisUrl: proxy.url }, prefix: 'start', logger });
    expect(awaited).toContain('jobs');
    awaited.length = 0;
    const jobs = new BenchProcess(connection);
    await proxy.cut();
    let runs = 0;
    const work = { queue: 'busy', name: 'count', everyMs: 60_000, timeoutMs: 10_000 };
    await jobs.repeat(work, async () => void (runs += 1));
    await expect.poll(() => runs).toBe(1);
    expect(awaited).not.toEqual([]);
    await jobs.close();
    await proxy.cut();
  });

  it('are done again after the connections were lost without a word', async () => {
    await redis.flushdb();
    const proxy = await CuttableProxy.start(redisUrl);
    const jobs = new BenchProcess(
      await createJobs({
        backend: { redisUrl: proxy.url },
        prefix: 'lost',
        logger: pino({ level: 'silent' }),
      }),
    );
    let runs = 0;
    await jobs.repeat({ queue: 'busy', name: 'count', everyMs: 300, timeoutMs: 10_000 }, async () => {
      runs += 1;
    });
    await expect.poll(() => runs).toBeGreaterThan(0);
    proxy.swallow();
    await proxy.mend();
    const before = runs;
    await expect.poll(() => runs, { timeout: LOST_MS }).toBeGreaterThan(before + 2);
    await jobs.close();
    await proxy.cut();
  });
});
