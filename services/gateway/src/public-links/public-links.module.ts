import { Module } from '@nestjs/common';
import { ForwardModule } from '../forward/forward.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { FetchReports } from './fetch-reports.js';
import { PublicLinks } from './public-links.js';

@Module({
  imports: [ForwardModule, RateLimitsModule],
  providers: [FetchReports, PublicLinks],
  exports: [PublicLinks],
})
export class PublicLinksModule {}
