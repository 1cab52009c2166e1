import { Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { SearchAll } from './search-all.js';
import { readSearchFilters, type SearchFilters } from './search-filters.rules.js';

/** There is no way back: a page is as long as the walk that it took. */
const forwards = ({ before: _before, ...given }: Readonly<Record<string, unknown>>): PageQuery =>
  parsePageQuery(given);

/** The search of messages in the console. */
@Controller()
export class SearchAllController {
  constructor(private readonly searchAll: SearchAll) {}

  @Operation('message-search.list')
  async list(
    @Call() { principal }: ApiCall,
    @Query(query(forwards, readSearchFilters)) [page, search]: [PageQuery, SearchFilters],
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.searchAll.execute({ principal, search, page }));
  }
}
