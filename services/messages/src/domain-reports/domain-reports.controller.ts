import { Controller, Param, Query } from '@nestjs/common';
import { ApiErrors, apiResponse, normaliseDomain, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { DomainReportsQuery, type AlignmentFalls } from './domain-reports.schema.js';
import { ReadDomainReports } from './read-domain-reports.js';
import { ReportedFigures } from './reported-figures.js';

/** Reports of receivers about domains, in the console. */
@Controller()
export class DomainReportsController {
  constructor(
    private readonly reading: ReadDomainReports,
    private readonly figures: ReportedFigures,
  ) {}

  @Operation('domain-reports.get')
  async get(
    @Call() { accountId }: ApiCall,
    @Param('domain') given: string,
    @Query(query(DomainReportsQuery)) { days }: DomainReportsQuery,
  ): Promise<ApiResponse> {
    const domain = normaliseDomain(given);
    if (domain === undefined) throw ApiErrors.notFound('domain');
    return apiResponse(200, await this.reading.execute({ accountId, domain, days }));
  }

  @Operation('domain-reports.list-falls')
  async listFalls(@Call() { accountId }: ApiCall): Promise<ApiResponse> {
    const falls = await this.figures.falls(accountId);
    const list: AlignmentFalls = {
      object: 'list',
      data: falls.map(({ domainId, domain, fellAt, share, usual }) => ({
        domain_id: domainId,
        domain,
        fell_at: fellAt.toISOString(),
        share,
        usual_share: usual,
      })),
    };
    return apiResponse(200, list);
  }
}
