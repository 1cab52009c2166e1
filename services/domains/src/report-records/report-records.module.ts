import { Module } from '@nestjs/common';
import { DnsModule } from '../dns/dns.module.js';
import { SendingDomainsModule } from '../sending-domains/sending-domains.module.js';
import { ProposeReportRecords } from './propose-report-records.js';
import { ReportRecordsController } from './report-records.controller.js';

@Module({
  imports: [DnsModule, SendingDomainsModule],
  controllers: [ReportRecordsController],
  providers: [ProposeReportRecords],
})
export class ReportRecordsModule {}
