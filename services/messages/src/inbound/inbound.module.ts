import { Module } from '@nestjs/common';
import { AccountDirectory } from '@postmesh/accounts-contract';
import { AcceptModule } from '../accept/accept.module.js';
import { AutomaticSuppressionsModule } from '../automatic-suppressions/automatic-suppressions.module.js';
import { DomainReportsModule } from '../domain-reports/domain-reports.module.js';
import { HandleReport } from '../reports/handle-report.js';
import { RecordReport } from '../reports/record-report.js';
import { ReportsModule } from '../reports/reports.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { InboundMessagesController } from './inbound-messages.controller.js';
import { InboundStore } from './inbound-store.js';
import { InboundWriter } from './inbound-writer.js';
import { ReceiveInbound } from './receive-inbound.js';
import { TakeReports } from './take-reports.js';
import { ReadRouteBody } from './route-bodies/read-route-body.js';
import { RouteBodiesController } from './route-bodies/route-bodies.controller.js';

/** Inbound mail of customers, and reports about sent mail. */
@Module({
  imports: [
    AcceptModule,
    AutomaticSuppressionsModule,
    DomainReportsModule,
    ReportsModule,
    SuppressionsModule,
  ],
  controllers: [InboundMessagesController, RouteBodiesController],
  providers: [
    AccountDirectory,
    HandleReport,
    InboundStore,
    InboundWriter,
    ReadRouteBody,
    ReceiveInbound,
    RecordReport,
    TakeReports,
  ],
})
export class InboundModule {}
