import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { UsageReportRequest } from '@postmesh/messages-contract';
import type { AccountId } from '@postmesh/contracts';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { ReportUsage } from './report-usage.js';
import type { SubAccountUsage } from './sub-account.schema.js';
import { billingPeriod } from './usage-report.rules.js';

/** For the gateway, which asks the messages service for the counts first. */
@Internal()
@Controller('internal/accounts')
export class UsageReportController {
  constructor(private readonly reportUsage: ReportUsage) {}

  @Post(':account_id/usage-report')
  @HttpCode(200)
  report(
    @uuidParam('account_id') parentId: AccountId,
    @Body(body(UsageReportRequest)) { period, used }: UsageReportRequest,
  ): Promise<SubAccountUsage> {
    const month = billingPeriod(new Date(`${period}-01T00:00:00Z`));
    return this.reportUsage.of(parentId, month, new Map(Object.entries(used)));
  }
}
