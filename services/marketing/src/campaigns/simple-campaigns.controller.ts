import { Body, Controller, Get, Put } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { requireSimple } from '@postmesh/designs';
import { SimpleDesignBody } from '../campaign-templates/simple-design.js';
import type { ShownCampaign } from './campaign.js';
import { campaignResource } from './campaign.schema.js';
import { ReadCampaigns } from './read-campaigns.js';
import { UpdateCampaign } from './update-campaign.js';

/** Storage of draft designs for an editor of blocks, on the operator interface (spec 3-marketing §11). */
@Internal()
@Controller('operator/accounts/:account_id/campaigns/:campaign_id/simple-design')
export class SimpleCampaignsController {
  constructor(
    private readonly campaigns: ReadCampaigns,
    private readonly change: UpdateCampaign,
  ) {}

  /** The design in the form of the editor. */
  @Get()
  async get(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('campaign_id') id: string,
  ): Promise<object> {
    return simpleView(await this.campaigns.find(accountId, id));
  }

  @Put()
  async put(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('campaign_id') id: string,
    @Body(body(SimpleDesignBody)) input: SimpleDesignBody,
  ): Promise<object> {
    return simpleView(await this.change.execute({ principal: { account_id: accountId }, id, input }));
  }
}

/** @throws ApiError 409 for a design of another editor */
function simpleView(shown: ShownCampaign): object {
  requireSimple(shown.campaign);
  return { ...campaignResource(shown), blocks: shown.campaign.design };
}
