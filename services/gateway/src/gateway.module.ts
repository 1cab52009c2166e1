import { Module } from '@nestjs/common';
import { PrincipalMinter, principalPrivateKey } from '@postmesh/internal-http';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { CacheLease } from './api-keys/cache-lease.js';
import { KeyCache } from './api-keys/key-cache.js';
import { KeyLookups } from './api-keys/key-lookups.js';
import { KeyUses } from './api-keys/key-uses.js';
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
      useFactory: ({ redisUrl }: Settings, logger: Logger): Buckets =>
        redisUrl === undefined ? new InProcessBuckets() : new RedisBuckets(redisUrl, logger),
    },
    RateLimits,
    KeyLookups,
    KeyCache,
    CacheLease,
    KeyUses,
    OverHttp,
    Forwarding,
    RequestLog,
    ApiRequests,
    PublicHttpServer,
    SmtpDoors,
    GatewayServer,
  ],
})
export class GatewayModule {}
