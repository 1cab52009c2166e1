import { Module } from '@nestjs/common';
import { ForwardModule } from '../forward/forward.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { Dialects } from './dialects.js';
import { RequestReader } from './request-reader.js';

/** The APIs of other services (decision 132). */
@Module({
  imports: [ForwardModule, RateLimitsModule],
  providers: [RequestReader, Dialects],
  exports: [Dialects],
})
export class DialectsModule {}
