import { Module } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { BUCKETS, InProcessBuckets, type Buckets } from './buckets.js';
import { RateLimits } from './rate-limits.js';
import { RedisBuckets } from './redis.buckets.js';

// A gateway also starts without Redis. It waits this long, so that its first requests use the shared buckets.
const REDIS_START_MS = 2_000;

async function createBuckets({ redisUrl }: Settings, logger: Logger): Promise<Buckets> {
  if (redisUrl === undefined) return new InProcessBuckets();
  const buckets = new RedisBuckets(redisUrl, logger);
  await buckets.connected(REDIS_START_MS);
  return buckets;
}

@Module({
  providers: [{ provide: BUCKETS, inject: [SETTINGS, LOGGER], useFactory: createBuckets }, RateLimits],
  exports: [RateLimits],
})
export class RateLimitsModule {}
