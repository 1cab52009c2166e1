import { Module } from '@nestjs/common';
import { PrincipalMinter, principalPrivateKey } from '@postmesh/internal-http';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { CacheLease } from './api-keys/cache-lease.js';
import { KeyCache } from './api-keys/key-cache.js';
import { KeyLookups } from './api-keys/key-lookups.js';
import { KeyUses } from './api-keys/key-uses.js';
import { Documentation } from './documentation/documentation.js';
import { GatewayServer } from './doors/gateway-server.js';
import { Forwarding } from './forward/forwarding.js';
import { OverHttp } from './forward/over-http.js';
import { ApiRequests } from './http-api/api-requests.js';
import { PublicHttpServer } from './http-api/public-http-server.js';
import { RequestLog } from './http-api/request-log.js';
import { BUCKETS, type Buckets } from './rate-limits/buckets.port.js';
import { InProcessBuckets } from './rate-limits/in-process.buckets.js';
import { RateLimits } from './rate-limits/rate-limits.js';
import { RedisBuckets } from './rate-limits/redis.buckets.js';
import { SmtpDoors } from './smtp/smtp-doors.js';

@Module({
  providers: [
    {
      provide: PrincipalMinter,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new PrincipalMinter(principalPrivateKey(settings)),
    },
    {
      provide: BUCKETS,
      inject: [SETTINGS, LOGGER],
      useFactory: createBuckets,
    },
    RateLimits,
    KeyLookups,
    KeyCache,
    CacheLease,
    KeyUses,
    OverHttp,
    Forwarding,
    Documentation,
    RequestLog,
    ApiRequests,
    PublicHttpServer,
    SmtpDoors,
    GatewayServer,
  ],
})
export class GatewayModule {}

// A gateway starts without Redis, too; with it the first requests shall be counted together already.
const REDIS_START_MS = 2_000;

async function createBuckets({ redisUrl }: Settings, logger: Logger): Promise<Buckets> {
  if (redisUrl === undefined) return new InProcessBuckets();
  const buckets = new RedisBuckets(redisUrl, logger);
  await buckets.connected(REDIS_START_MS);
  return buckets;
}
