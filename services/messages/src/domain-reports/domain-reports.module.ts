import { Module } from '@nestjs/common';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { AuthenticateSender } from '../inbound/authenticate-sender.js';
import { OwnAddressesModule } from '../own-addresses/own-addresses.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { DomainReportsController } from './domain-reports.controller.js';
import { PruneReports } from './prune-reports.js';
import { ReadDomainReports } from './read-domain-reports.js';
import { ReportedFigures } from './reported-figures.js';
import { StoreReport } from './store-report.js';
import { TakeDomainReport } from './take-domain-report.js';

/** Reports of receivers about sending domains. */
@Module({
  imports: [DomainChangesModule, OwnAddressesModule, StatisticsModule],
  controllers: [DomainReportsController],
  providers: [
    AuthenticateSender,
    PruneReports,
    ReadDomainReports,
    ReportedFigures,
    StoreReport,
    TakeDomainReport,
  ],
  exports: [AuthenticateSender, TakeDomainReport],
})
export class DomainReportsModule {}
