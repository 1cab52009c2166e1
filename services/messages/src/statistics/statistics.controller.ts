import { Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse, type Principal } from '@postmesh/contracts';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { ReadGroups } from './read-groups.js';
import { ReadOverview } from './read-overview.js';
import { ReadStatistics } from './read-statistics.js';
import { readStatisticsQuery, type StatisticsQuery } from './statistics-query.rules.js';

const parameters = query((given) => readStatisticsQuery(given, new Date()));

/** A notice that opens or clicks are not tracked: in a header, because the shape of the body is fixed. */
function untrackedNotice({ track_opens, track_clicks }: Principal['account']): Record<string, string> {
  const off = [...(track_opens ? [] : ['opens']), ...(track_clicks ? [] : ['clicks'])];
  if (off.length === 0) return {};
  const fields = off.map((what) => `track_${what}`).join(' and ');
  return {
    'postmesh-notice': `${off.join(' and ')} are counted for messages that ask for tracking only: ${fields} of the account is off`,
  };
}

@Controller()
export class StatisticsController {
  constructor(
    private readonly statistics: ReadStatistics,
    private readonly overviews: ReadOverview,
    private readonly groups: ReadGroups,
  ) {}

  @Operation('statistics.deliverability')
  async deliverability(
    @Call() { principal }: ApiCall,
    @Query(parameters) input: StatisticsQuery,
  ): Promise<ApiResponse> {
    const figures = await this.statistics.deliverability({ principal, query: input });
    return { ...apiResponse(200, figures), headers: untrackedNotice(principal.account) };
  }

  @Operation('statistics.bounce')
  async bounce(
    @Call() { principal }: ApiCall,
    @Query(parameters) input: StatisticsQuery,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.statistics.bounce({ principal, query: input }));
  }

  @Operation('statistics.delivery-time')
  async deliveryTime(
    @Call() { principal }: ApiCall,
    @Query(parameters) input: StatisticsQuery,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.statistics.deliveryTime({ principal, query: input }));
  }

  @Operation('statistics-overview.get')
  async overview(@Call() { accountId }: ApiCall): Promise<ApiResponse> {
    return apiResponse(200, await this.overviews.execute(accountId, new Date()));
  }

  @Operation('statistics-groups.templates')
  async templates(
    @Call() { principal }: ApiCall,
    @Query(parameters) input: StatisticsQuery,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.groups.templates({ principal, query: input }));
  }

  @Operation('statistics-groups.providers')
  async providers(
    @Call() { principal }: ApiCall,
    @Query(parameters) input: StatisticsQuery,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.groups.providers({ principal, query: input }));
  }
}
