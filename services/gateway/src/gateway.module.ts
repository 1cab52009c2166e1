import { Module } from '@nestjs/common';
import type { ServiceDefinition } from '@postmesh/service-host';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { CacheLeaseModule } from './cache-lease/cache-lease.module.js';
import { ConsoleModule } from './console/console.module.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { ForwardModule } from './forward/forward.module.js';
import { GatewayListeners } from './gateway-listeners.js';
import { HttpApiModule } from './http-api/http-api.module.js';
import { PublicLinksModule } from './public-links/public-links.module.js';
import { RateLimitsModule } from './rate-limits/rate-limits.module.js';
import { SmtpModule } from './smtp/smtp.module.js';

@Module({
  imports: [
    HttpApiModule,
    ApiKeysModule,
    RateLimitsModule,
    ForwardModule,
    PublicLinksModule,
    ConsoleModule,
    DocumentationModule,
    SmtpModule,
    CacheLeaseModule,
  ],
  providers: [GatewayListeners],
})
class GatewayModule {}

/** The gateway has no database and no events. */
export const GATEWAY_SERVICE: ServiceDefinition = { name: 'gateway', module: GatewayModule };
