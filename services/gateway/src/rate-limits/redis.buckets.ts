import { once } from 'node:events';
import { Redis } from 'ioredis';
import { watchRedis, type Limit } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { RareWarning } from '../rare-warning.js';
import { InProcessBuckets, type Buckets } from './buckets.js';

// The arithmetic of take in libs/concurrency as one atomic script. It uses Redis' clock, which all gateways share.
const TAKE = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local rate, burst = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = burst
if kept[1] then tokens = math.min(burst, tonumber(kept[1]) + math.max(0, now - tonumber(kept[2])) * rate) end
local wait = 0
if tokens >= 1 - 1e-9 then tokens = tokens - 1 else wait = (1 - tokens) / rate end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / rate) + 1000)
return math.ceil(wait)`;

// Timeout: a rate limit is not worth a longer wait.
const COMMAND_MS = 250;

type WithTake = Redis & {
  takeToken(key: string, perSecond: number, burst: number): Promise<number>;
};

/**
 * The buckets of all gateways together. While Redis is down each gateway limits rates alone: a limit that
 * is too wide for a while is better than an API that is down.
 */
export class RedisBuckets implements Buckets {
  private readonly redis: WithTake;
  private readonly own = new InProcessBuckets();
  private readonly unreachable: RareWarning;
  private readonly endWatch: () => void;

  constructor(url: string, logger: Logger) {
    this.unreachable = new RareWarning(
      logger,
      'redis.unreachable',
      'Redis unreachable, gateway limits rates alone',
    );
    this.redis = new Redis(url, {
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: COMMAND_MS,
      connectTimeout: 5_000,
      connectionName: 'postmesh-gateway',
    }) as WithTake;
    this.redis.defineCommand('takeToken', { numberOfKeys: 1, lua: TAKE });
    this.redis.on('error', (error: unknown) => this.unreachable.log(error));
    this.endWatch = watchRedis(this.redis);
  }

  /** Resolves once the buckets are shared, at the latest after `maxMs`. */
  async connected(maxMs: number): Promise<void> {
    if (this.redis.status === 'ready') return;
    const stop = AbortSignal.timeout(maxMs);
    await once(this.redis, 'ready', { signal: stop }).catch((error: unknown) => this.unreachable.log(error));
  }

  async take(name: string, limit: Limit): Promise<number> {
    try {
      const waitMs = await this.redis.takeToken(`postmesh:rate:${name}`, limit.perSecond, limit.burst);
      return waitMs / 1_000;
    } catch (error) {
      this.unreachable.log(error);
      return this.own.take(name, limit);
    }
  }

  async close(): Promise<void> {
    this.endWatch();
    this.redis.disconnect();
    await this.own.close();
  }
}
