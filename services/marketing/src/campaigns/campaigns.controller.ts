import { Body, Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { SUBSTITUTION_RULES } from '@postmesh/messages-contract';
import { shareOf } from '@postmesh/designs';
import { parsePageQuery, toFullPage, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, optionalBody, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import type { ShownCampaign } from './campaign.js';
import {
  campaignListItem,
  CampaignPreviewBody,
  campaignResource,
  CreateCampaignBody,
  deletedText,
  DuplicateCampaignBody,
  readFilters,
  TestSendBody,
  UpdateCampaignBody,
  type CampaignFilters,
} from './campaign.schema.js';
import { CreateCampaign } from './create-campaign.js';
import { DeleteCampaign } from './delete-campaign.js';
import { DuplicateCampaign } from './duplicate-campaign.js';
import { PreviewCampaign } from './preview-campaign.js';
import { ReadCampaigns } from './read-campaigns.js';
import { TestSend } from './test-send.js';
import { UpdateCampaign } from './update-campaign.js';

/** An account's campaigns (spec 3-marketing §3). */
@Controller()
export class CampaignsController {
  constructor(
    private readonly campaigns: ReadCampaigns,
    private readonly creation: CreateCampaign,
    private readonly update: UpdateCampaign,
    private readonly deletion: DeleteCampaign,
    private readonly duplication: DuplicateCampaign,
    private readonly tests: TestSend,
    private readonly previews: PreviewCampaign,
  ) {}

  @Operation('campaigns.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery, readFilters)) [page, filters]: [PageQuery, CampaignFilters],
  ): Promise<ApiResponse> {
    const rows = await this.campaigns.page(accountId, { filters, page });
    const list = toPage(rows, page, ({ shown }) => campaignListItem(shown));
    return apiResponse(200, toFullPage(list, page));
  }

  @Operation('campaigns.create')
  create(
    @Call() call: ApiCall,
    @Body(body(CreateCampaignBody)) input: CreateCampaignBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, share: shareOf(call), input };
    return call.respond((remember) => this.creation.execute(command, remember), shownAs(201));
  }

  @Operation('campaigns.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return shownAs(200)(await this.campaigns.find(accountId, id));
  }

  @Operation('campaigns.update')
  put(
    @Call() call: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(body(UpdateCampaignBody)) input: UpdateCampaignBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, share: shareOf(call), id, input };
    return call.respond((remember) => this.update.execute(command, remember), shownAs(200));
  }

  @Operation('campaigns.delete')
  async delete(@Call() { principal }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, { message: deletedText(await this.deletion.execute({ principal, id })) });
  }

  @Operation('campaigns.duplicate')
  duplicate(
    @Call() call: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(optionalBody(DuplicateCampaignBody)) { name }: DuplicateCampaignBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, id, name: name ?? undefined };
    return call.respond((remember) => this.duplication.execute(command, remember), shownAs(201));
  }

  @Operation('campaigns.test-send')
  testSend(
    @Call() call: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(body(TestSendBody)) input: TestSendBody,
  ): Promise<ApiResponse> {
    const idempotencyKey = call.run?.key ?? null;
    const command = { principal: call.principal, id, input, idempotencyKey };
    return call.respond(
      () => this.tests.execute(command),
      (data) => apiResponse(202, { object: 'list', data }),
    );
  }

  @Operation('campaigns.preview')
  preview(
    @Call() call: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(optionalBody(CampaignPreviewBody, SUBSTITUTION_RULES)) input: CampaignPreviewBody,
  ): Promise<ApiResponse> {
    return call.respond(
      () => this.previews.execute(call.principal, id, input, call.signal),
      (preview) => apiResponse(200, preview),
    );
  }
}

const shownAs =
  (status: 200 | 201) =>
  (shown: ShownCampaign): ApiResponse =>
    apiResponse(status, campaignResource(shown));
