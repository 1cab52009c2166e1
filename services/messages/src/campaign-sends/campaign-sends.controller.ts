import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CampaignSendRequest, type CampaignSendResult } from '@postmesh/messages-contract';
import { body, Internal } from '@postmesh/service-host';
import { AcceptCampaignSend } from './accept-campaign-send.js';

/** Batches of campaigns. */
@Internal()
@Controller('internal/campaign-sends')
export class CampaignSendsController {
  constructor(private readonly sends: AcceptCampaignSend) {}

  @Post()
  @HttpCode(200)
  accept(@Body(body(CampaignSendRequest)) input: CampaignSendRequest): Promise<CampaignSendResult> {
    return this.sends.execute(input);
  }
}
