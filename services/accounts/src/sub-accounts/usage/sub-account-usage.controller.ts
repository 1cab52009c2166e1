import { Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { ReportUsage } from './report-usage.js';

@Controller()
export class SubAccountUsageController {
  constructor(private readonly report: ReportUsage) {}

  @Operation('sub-accounts.usage')
  async usage(@Call() call: ApiCall): Promise<ApiResponse> {
    return apiResponse(200, await this.report.execute(call.accountId, new Date()));
  }
}
