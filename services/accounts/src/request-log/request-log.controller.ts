import { Body, Controller, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, ApiErrors, type AccountId, type ApiResponse } from '@postmesh/contracts';
import { RefusedRequests } from '@postmesh/accounts-contract';
import { pageSql, parsePageQuery, toPage, type PageQuery, type PageRow, type Sql } from '@postmesh/http';
import { Call, Internal, Operation, query, SETTINGS, uuidParam, type ApiCall } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { internalBody } from '../internal-requests/internal-body.js';
import {
  requestLogEntry,
  RequestLogFilters,
  requestLogRows,
  type RequestLogPage,
  type RequestLogRow,
} from './request-log.schema.js';
import { StoreRefusedRequests } from './store-refused-requests.js';

/** The request log: written by gateways, read by members in the console (decision 124). */
@Controller()
export class RequestLogController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly store: StoreRefusedRequests,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'requestLogDays'>,
  ) {}

  @Internal()
  @Post('internal/refused-requests')
  @HttpCode(200)
  async add(@Body(internalBody(RefusedRequests)) given: RefusedRequests): Promise<{ message: string }> {
    await this.store.execute(given);
    return { message: 'requests stored' };
  }

  /** Newest first. */
  @Operation('request-log.list')
  async list(
    @Call() { principal }: ApiCall,
    @Query(query(parsePageQuery, RequestLogFilters)) [page, filters]: [PageQuery, RequestLogFilters],
  ): Promise<ApiResponse> {
    const days = this.settings.requestLogDays;
    const { account_id: accountId } = principal;
    const cut = pageSql(requestLogRows(filters, { accountId, days }), page);
    const [rows, leftOut] = await Promise.all([this.read(cut), this.leftOut(accountId)]);
    const made: RequestLogPage = {
      ...toPage(rows, page, requestLogEntry),
      kept_days: days,
      left_out: leftOut,
    };
    return apiResponse(200, made);
  }

  /** @throws ApiError 404 */
  @Operation('request-log.get')
  async get(@Call() { principal }: ApiCall, @uuidParam('request_id') id: string): Promise<ApiResponse> {
    const days = this.settings.requestLogDays;
    const { text, parameters } = requestLogRows({}, { accountId: principal.account_id, days });
    const [row] = await this.read({ text: `${text} and id = $3::uuid`, parameters: [...parameters, id] });
    if (!row) throw ApiErrors.notFound('request');
    return apiResponse(200, requestLogEntry(row));
  }

  private read({ text, parameters }: Sql): Promise<(RequestLogRow & PageRow)[]> {
    return this.dataSource.query(text, [...parameters]);
  }

  private leftOut(accountId: AccountId): Promise<RequestLogPage['left_out']> {
    return this.dataSource.query(
      `select to_char(day, 'YYYY-MM-DD') as day, left_out::float8 as count from refused_request_days
       where account_id = $1 and left_out > 0 and day >= (now() at time zone 'utc')::date - $2::int order by day desc`,
      [accountId, this.settings.requestLogDays],
    );
  }
}
