import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { CampaignTrials } from './campaign-trials.js';
import { TrialBody } from './trial.schema.js';

/** Variants of a campaign, for members in the console (decision 163). */
@Controller()
export class CampaignTrialsController {
  constructor(private readonly trials: CampaignTrials) {}

  @Operation('campaign-trials.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, await this.trials.get(accountId, id));
  }

  @Operation('campaign-trials.put')
  async put(
    @Call() { accountId }: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(body(TrialBody)) { trial }: TrialBody,
  ): Promise<ApiResponse> {
    await this.trials.put(accountId, id, trial);
    return apiResponse(200, await this.trials.get(accountId, id));
  }
}
