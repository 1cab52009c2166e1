import { Body, Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { shareOf } from '@postmesh/designs';
import { parsePageQuery, toFullPage, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import type { CampaignTemplate } from './campaign-template.js';
import {
  campaignTemplateListItem,
  campaignTemplateResource,
  CreateCampaignTemplateBody,
  ListCampaignTemplatesQuery,
  UpdateCampaignTemplateBody,
} from './campaign-template.schema.js';
import { CampaignTemplatesRepository } from './campaign-templates.repository.js';
import { CreateCampaignTemplate, UpdateCampaignTemplate } from './manage-campaign-templates.js';

/** An account's designs for campaigns (spec 3-marketing §9). */
@Controller()
export class CampaignTemplatesController {
  constructor(
    private readonly templates: CampaignTemplatesRepository,
    private readonly creation: CreateCampaignTemplate,
    private readonly change: UpdateCampaignTemplate,
  ) {}

  @Operation('campaign-templates.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery, ListCampaignTemplatesQuery))
    [page, { name }]: [PageQuery, ListCampaignTemplatesQuery],
  ): Promise<ApiResponse> {
    const rows = await this.templates.page({ accountId, name }, page);
    return apiResponse(200, toFullPage(toPage(rows, page, campaignTemplateListItem), page));
  }

  @Operation('campaign-templates.create')
  create(
    @Call() call: ApiCall,
    @Body(body(CreateCampaignTemplateBody)) input: CreateCampaignTemplateBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, share: shareOf(call), input };
    return call.respond((remember) => this.creation.execute(command, remember), shown(201));
  }

  @Operation('campaign-templates.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('template_id') id: string): Promise<ApiResponse> {
    return shown(200)(await this.templates.get({ accountId, id }));
  }

  @Operation('campaign-templates.update')
  update(
    @Call() call: ApiCall,
    @uuidParam('template_id') id: string,
    @Body(body(UpdateCampaignTemplateBody)) input: UpdateCampaignTemplateBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, share: shareOf(call), id, input };
    return call.respond((remember) => this.change.execute(command, remember), shown(200));
  }

  @Operation('campaign-templates.delete')
  async delete(@Call() { accountId }: ApiCall, @uuidParam('template_id') id: string): Promise<ApiResponse> {
    const name = await this.templates.delete({ accountId, id });
    return apiResponse(200, { message: `campaign template ${id} (${name}) deleted successfully` });
  }
}

const shown =
  (status: 200 | 201) =>
  (template: CampaignTemplate): ApiResponse =>
    apiResponse(status, campaignTemplateResource(template));
