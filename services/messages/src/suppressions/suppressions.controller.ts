import { Body, Controller, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type AccountId, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { AccountDomains } from './account-domains.js';
import { CreateSuppressions } from './create-suppressions.js';
import { DeleteSuppressions } from './delete-suppressions.js';
import type { Suppression } from './suppression.rules.js';
import {
  CreateSuppressionBody,
  listedSuppression,
  READ_ONLY_FIELDS,
  readAddress,
  readDomain,
  readFilters,
  suppressionResource,
  type SuppressedAddress,
  type SuppressionFilters,
} from './suppression.schema.js';
import { SuppressionsRepository } from './suppressions.repository.js';

const RULES = { readOnly: READ_ONLY_FIELDS };

/** An account's suppression list (spec 1-platform §14). */
@Controller()
export class SuppressionsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: AccountDomains,
    private readonly suppressions: SuppressionsRepository,
    private readonly creation: CreateSuppressions,
    private readonly deletion: DeleteSuppressions,
  ) {}

  @Operation('suppressions.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery, readFilters)) [page, filters]: [PageQuery, SuppressionFilters],
  ): Promise<ApiResponse> {
    return apiResponse(200, toPage(await this.rows(accountId, filters, page), page, suppressionResource));
  }

  /** In the console, each with its message. */
  @Operation('listed-suppressions.list')
  async listWithOrigin(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery, readFilters)) [page, filters]: [PageQuery, SuppressionFilters],
  ): Promise<ApiResponse> {
    return apiResponse(200, toPage(await this.rows(accountId, filters, page), page, listedSuppression));
  }

  private async rows(accountId: AccountId, filters: SuppressionFilters, page: PageQuery) {
    const domain = await this.domains.require(accountId, filters.domain);
    return this.suppressions.page(this.dataSource.manager, accountId, { ...filters, domain }, page);
  }

  @Operation('suppressions.create')
  create(
    @Call() call: ApiCall,
    @Body(body(CreateSuppressionBody, RULES)) input: CreateSuppressionBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, input };
    return call.respond((remember) => this.creation.execute(command, remember), created);
  }

  @Operation('suppressions.delete')
  async delete(
    @Call() { accountId }: ApiCall,
    @Query(query(readAddress)) address: SuppressedAddress,
  ): Promise<ApiResponse> {
    await this.deletion.deleteAddress(accountId, address);
    return apiResponse(200, { message: 'suppression deleted successfully' });
  }

  @Operation('suppressions.wipe')
  async wipe(
    @Call() { accountId }: ApiCall,
    @Query(query(({ domain }) => ({ domain: readDomain(domain) })))
    { domain }: { domain: string | undefined },
  ): Promise<ApiResponse> {
    const kept = await this.deletion.wipe(accountId, domain);
    const message =
      kept === 0 ? 'all suppressions deleted' : `suppressions deleted, ${kept} protected suppressions kept`;
    return apiResponse(200, { message });
  }
}

const created = (rows: readonly Suppression[]): ApiResponse =>
  apiResponse(201, { object: 'list', data: rows.map(suppressionResource) });
