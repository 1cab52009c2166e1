import type { Logger } from '@postmesh/observability';
import { createRedisBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { JobBackend } from './backend.js';

const KEY_PREFIX = 'jobs';

/** BullMQ's Redis backend: one connection for all producers, one for all workers, one more per worker to block on. */
export async function openRedisBackend(options: { url: string; logger: Logger }): Promise<JobBackend> {
  const common = {
    connectTimeout: 5_000,
    retryStrategy: (times: number) => Math.min(times * 100, 2_000),
    lazyConnect: true,
  };
  // a producer is told soon that Redis is away; a worker waits for it to come back
  const producers = new Redis(options.url, { ...common, maxRetriesPerRequest: 3 });
  const workers = new Redis(options.url, { ...common, maxRetriesPerRequest: null });
  for (const client of [producers, workers]) {
    client.on('error', (error) => options.logger.warn({ err: error }, 'jobs: connection lost'));
  }
  const close = async () => {
    producers.disconnect();
    workers.disconnect();
  };
  try {
    await Promise.all([producers.connect(), workers.connect()]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    factory: (name, opts, use = {}) => {
      const connection = use.withBlockingConnection ? workers : producers;
      return createRedisBackend(name, Object.assign({ prefix: KEY_PREFIX }, opts, { connection }), use);
    },
    idleSeconds: 5,
    ping: async () => {
      await producers.ping();
    },
    // what BullMQ does in Redis is a script, which Redis runs alone
    exclusively: (_key, work) => work(),
    close,
  };
}
