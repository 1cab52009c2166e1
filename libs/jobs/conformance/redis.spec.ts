import { loadSettings } from '@postmesh/settings';
import { realPart } from '@postmesh/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe } from 'vitest';
import type { JobsDriver } from './bench-of-jobs.js';
import { describePeriodicWork } from './periodic-work.suite.js';

const given = realPart('REDIS_URL', loadSettings().redisUrl);
// a database number of its own: this suite flushes it and cuts its connections, others use the rest
const DATABASE = 13;
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
});
