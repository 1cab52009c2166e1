import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { DesignBlocksBody, shareOf } from '@postmesh/designs';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { CampaignTemplateBlocks } from './campaign-template-blocks.js';
import { campaignTemplateResource, CreateBlocksTemplateBody } from './campaign-template.schema.js';
import { CreateCampaignTemplate } from './manage-campaign-templates.js';

/** Campaign templates in the console: designs of its block editor, and copies. */
@Controller()
export class CampaignTemplateBlocksController {
  constructor(
    private readonly blocks: CampaignTemplateBlocks,
    private readonly creation: CreateCampaignTemplate,
  ) {}

  @Operation('campaign-template-blocks.create')
  async create(
    @Call() call: ApiCall,
    @Body(body(CreateBlocksTemplateBody)) { name, ...input }: CreateBlocksTemplateBody,
  ): Promise<ApiResponse> {
    const { accountId } = call;
    const template = await this.blocks.create({ accountId, name, input, share: shareOf(call) });
    return apiResponse(201, campaignTemplateResource(template));
  }

  @Operation('campaign-template-blocks.get')
  async get(
    @Call() { accountId }: ApiCall,
    @uuidParam('campaign_template_id') id: string,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.blocks.read({ accountId, id }));
  }

  @Operation('campaign-template-blocks.put')
  async put(
    @Call() call: ApiCall,
    @uuidParam('campaign_template_id') id: string,
    @Body(body(DesignBlocksBody)) input: DesignBlocksBody,
  ): Promise<ApiResponse> {
    const { accountId } = call;
    return apiResponse(200, await this.blocks.write({ accountId, id, input, share: shareOf(call) }));
  }

  @Operation('campaign-templates.duplicate')
  async duplicate(
    @Call() { accountId }: ApiCall,
    @uuidParam('campaign_template_id') id: string,
  ): Promise<ApiResponse> {
    return apiResponse(201, campaignTemplateResource(await this.creation.copyOf({ accountId, id })));
  }
}
