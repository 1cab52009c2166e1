import { Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { ReadStatistics } from './read-statistics.js';
import { readStatisticsQuery, type StatisticsQuery } from './statistics-query.rules.js';

const parameters = query((given) => readStatisticsQuery(given, new Date()));

@Controller()
export class StatisticsController {
  constructor(private readonly statistics: ReadStatistics) {}

  @Operation('statistics.deliverability')
  async deliverability(
    @Call() { principal }: ApiCall,
    @Query(parameters) input: StatisticsQuery,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.statistics.deliverability({ principal, query: input }));
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
}
