import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, optionalBody, uuidParam, type ApiCall } from '@postmesh/service-host';
import type { ShownCampaign } from '../campaigns/campaign.js';
import { campaignResource } from '../campaigns/campaign.schema.js';
import { SendCampaignBody } from './campaign-states.schema.js';
import { HoldCampaign } from './hold-campaign.js';
import { SendCampaign } from './send-campaign.js';

/** Send and Unschedule of an account's campaigns (spec 3-marketing §3.2); in the console also what follows. */
@Controller()
export class CampaignStatesController {
  constructor(
    private readonly sending: SendCampaign,
    private readonly hold: HoldCampaign,
  ) {}

  @Operation('campaigns.send')
  send(
    @Call() call: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(optionalBody(SendCampaignBody)) { send_at: sendAt = null }: SendCampaignBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, id, sendAt };
    return call.respond((remember) => this.sending.send(command, remember), show);
  }

  @Operation('campaigns.unschedule')
  unschedule(@Call() call: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    const command = { principal: call.principal, id };
    return call.respond((remember) => this.sending.unschedule(command, remember), show);
  }

  // The next three are operations of the console.

  @Operation('campaigns.pause')
  async pause(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return show(await this.hold.pause({ accountId, id }));
  }

  @Operation('campaigns.resume')
  async resume(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return show(await this.hold.resume({ accountId, id }));
  }

  @Operation('campaigns.cancel')
  async cancel(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return show(await this.hold.cancel({ accountId, id }));
  }
}

const show = (campaign: ShownCampaign): ApiResponse => apiResponse(200, campaignResource(campaign));
