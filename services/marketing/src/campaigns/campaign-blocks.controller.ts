import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { DesignBlocksBody, shareOf } from '@postmesh/designs';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { CampaignBlocks } from './campaign-blocks.js';

/** The block editor of the console. */
@Controller()
export class CampaignBlocksController {
  constructor(private readonly blocks: CampaignBlocks) {}

  @Operation('campaign-blocks.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, await this.blocks.read(accountId, id));
  }

  @Operation('campaign-blocks.put')
  async put(
    @Call() call: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(body(DesignBlocksBody)) input: DesignBlocksBody,
  ): Promise<ApiResponse> {
    const { principal } = call;
    return apiResponse(200, await this.blocks.write({ principal, id, input, share: shareOf(call) }));
  }
}
