import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import type { CampaignTemplate } from './campaign-template.js';
import { campaignTemplateResource } from './campaign-template.schema.js';
import { CampaignTemplatesRepository } from './campaign-templates.repository.js';
import { CreateCampaignTemplate, UpdateCampaignTemplate } from './manage-campaign-templates.js';
import { requireSimple } from '@postmesh/designs';
import { CreateSimpleTemplateBody, SimpleDesignBody } from './simple-design.js';

/** Storage of designs for an editor of blocks, on the operator interface (spec 3-marketing §11). */
@Internal()
@Controller('operator/accounts/:account_id/campaign-templates')
export class SimpleTemplatesController {
  constructor(
    private readonly templates: CampaignTemplatesRepository,
    private readonly creation: CreateCampaignTemplate,
    private readonly change: UpdateCampaignTemplate,
  ) {}

  @Post()
  async create(
    @uuidParam('account_id') accountId: AccountId,
    @Body(body(CreateSimpleTemplateBody)) input: CreateSimpleTemplateBody,
  ): Promise<object> {
    return simpleView(await this.creation.executeSimple({ accountId, input }));
  }

  /** The design in the form of the editor. */
  @Get(':template_id/simple-design')
  async get(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('template_id') id: string,
  ): Promise<object> {
    return simpleView(await this.templates.get({ accountId, id }));
  }

  @Put(':template_id/simple-design')
  async put(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('template_id') id: string,
    @Body(body(SimpleDesignBody)) input: SimpleDesignBody,
  ): Promise<object> {
    return simpleView(await this.change.executeSimple({ accountId, id, input }));
  }
}

/** @throws ApiError 409 */
function simpleView(template: CampaignTemplate): object {
  requireSimple(template);
  return { ...campaignTemplateResource(template), blocks: template.design };
}
