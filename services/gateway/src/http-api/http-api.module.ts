import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { ConsoleModule } from '../console/console.module.js';
import { DialectsModule } from '../dialects/dialects.module.js';
import { DocumentationModule } from '../documentation/documentation.module.js';
import { ForwardModule } from '../forward/forward.module.js';
import { PublicLinksModule } from '../public-links/public-links.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { RefusedRequestsModule } from '../refused-requests/refused-requests.module.js';
import { Admission } from './admission.js';
import { AnonymousRequests } from './anonymous-requests.js';
import { RefusedApiRequests } from './refused-api-requests.js';
import { ApiRequests } from './api-requests.js';
import { Callers } from './callers.js';
import { HttpListener } from './http-listener.js';
import { RequestLog } from './request-log.js';

@Module({
  imports: [
    ApiKeysModule,
    ConsoleModule,
    DialectsModule,
    DocumentationModule,
    ForwardModule,
    PublicLinksModule,
    RateLimitsModule,
    RefusedRequestsModule,
  ],
  providers: [
    Admission,
    AnonymousRequests,
    RefusedApiRequests,
    Callers,
    RequestLog,
    ApiRequests,
    HttpListener,
  ],
  exports: [HttpListener],
})
export class HttpApiModule {}
