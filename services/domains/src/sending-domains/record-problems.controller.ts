import { Controller, Param } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { DOMAIN_NAME } from './domain-errors.js';
import { GetDomain } from './get-domain.js';
import { recordProblems } from './record-problems.resource.js';

/** The result of the last check, record by record, in the console: the API says only whether each was right. */
@Controller()
export class RecordProblemsController {
  constructor(private readonly getDomain: GetDomain) {}

  @Operation('record-problems.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return apiResponse(200, recordProblems(await this.getDomain.execute({ accountId, domain })));
  }
}
