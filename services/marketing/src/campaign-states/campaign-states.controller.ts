import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, optionalBody, uuidParam, type ApiCall } from '@postmesh/service-host';
import type { ShownCampaign } from '../campaigns/campaign.js';
import { campaignResource } from '../campaigns/campaign.schema.js';
import { SendCampaignBody } from './campaign-states.schema.js';
import { SendCampaign } from './send-campaign.js';

/** Send and Unschedule of an account's campaigns (spec 3-marketing §3.2). */
@Controller()
export class CampaignStatesController {
  constructor(private readonly sending: SendCampaign) {}

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
}

const show = (campaign: ShownCampaign): ApiResponse => apiResponse(200, campaignResource(campaign));
