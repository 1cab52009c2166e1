import { Controller, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toFullPage, toPage, type PageQuery } from '@postmesh/http';
import { Call, Operation, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import { MAX_COUNTED_SKIPS, type CampaignSkips } from './campaign-figures.schema.js';
import { readCounts } from './campaign-counts.js';
import { recipientPage } from './recipient-pages.js';
import { ListRecipientsQuery, recipientResource, statsResource } from './results.schema.js';

/** The results of a campaign (spec 3-marketing §8), and what the console shows in addition. */
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

  @Operation('campaign-skips.get')
  async skips(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    await this.requireCampaign(accountId, id);
    const data: CampaignSkips['data'] = await this.dataSource.query(SKIPS, [id]);
    const is_cut = data.reduce((sum, { count }) => sum + count, 0) === MAX_COUNTED_SKIPS;
    return apiResponse(200, {
      object: 'campaign_skips',
      campaign_id: id,
      is_cut,
      data,
    } satisfies CampaignSkips);
  }

  private async requireCampaign(accountId: string, id: string): Promise<void> {
    const found: unknown[] = await this.dataSource.query(
      'select from campaigns where id = $1 and account_id = $2',
      [id, accountId],
    );
    if (found.length === 0) throw ApiErrors.notFound('campaign');
  }
}

// by the index campaign_recipients_status
const SKIPS = `
  select coalesce(status_reason, '') as reason, count(*)::int as count
  from (select status_reason from campaign_recipients where campaign_id = $1 and status = 'skipped'
    limit ${MAX_COUNTED_SKIPS}) as skipped
  group by 1 order by 2 desc, 1`;
