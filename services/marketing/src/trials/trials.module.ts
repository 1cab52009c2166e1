import { Module } from '@nestjs/common';
import { CampaignTemplatesModule } from '../campaign-templates/campaign-templates.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { CampaignTrials } from './campaign-trials.js';
import { CampaignTrialsController } from './campaign-trials.controller.js';
import { DecideTrials } from './decide-trials.js';

/** Variants of campaigns that are tried with some of their recipients. */
@Module({
  imports: [CampaignTemplatesModule, CampaignsModule, SendingModule],
  controllers: [CampaignTrialsController],
  providers: [CampaignTrials, DecideTrials],
})
export class TrialsModule {}
