import { Controller, Param } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { DOMAIN_NAME } from '../sending-domains/domain-errors.js';
import { ProposeReportRecords } from './propose-report-records.js';

/** Proposals of records for reports, in the console: the records of the API stay as they are (decision 150). */
@Controller()
export class ReportRecordsController {
  constructor(private readonly propose: ProposeReportRecords) {}

  @Operation('report-records.get')
  async get(
    @Call() { accountId }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.propose.execute({ accountId, domain }));
  }
}
