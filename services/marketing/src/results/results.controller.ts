import { Controller, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toFullPage, toPage, type PageQuery } from '@postmesh/http';
import { Call, Operation, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import { readCounts } from './campaign-counts.js';
import { recipientPage } from './recipient-pages.js';
import { ListRecipientsQuery, recipientResource, statsResource } from './results.schema.js';

/** The results of a campaign (spec 3-marketing §8). */
@Controller()
export class ResultsController {
  constructor(private readonly dataSource: DataSource) {}

  @Operation('campaigns.stats')
  async stats(
    @Call() { accountId, principal }: ApiCall,
    @uuidParam('campaign_id') id: string,
  ): Promise<ApiResponse> {
    await this.requireCampaign(accountId, id);
    const counts = await readCounts(this.dataSource, id);
    return apiResponse(200, statsResource(id, counts, principal.account));
  }

  @Operation('campaigns.recipients')
  async recipients(
    @Call() { accountId }: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Query(query(parsePageQuery, ListRecipientsQuery)) [page, filters]: [PageQuery, ListRecipientsQuery],
  ): Promise<ApiResponse> {
    await this.requireCampaign(accountId, id);
    const rows = await recipientPage(this.dataSource, { campaignId: id, filters }, page);
    return apiResponse(200, toFullPage(toPage(rows, page, recipientResource), page));
  }

  private async requireCampaign(accountId: string, id: string): Promise<void> {
    const found: unknown[] = await this.dataSource.query(
      'select from campaigns where id = $1 and account_id = $2',
      [id, accountId],
    );
    if (found.length === 0) throw ApiErrors.notFound('campaign');
  }
}
