import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { BeginSending } from './begin-sending.js';
import { CampaignFacts } from './campaign-facts.js';
import { CampaignMachine } from './campaign-machine.js';
import { CampaignMovesModule } from './campaign-moves.module.js';
import { CampaignStatesController } from './campaign-states.controller.js';
import { CampaignsView } from './operator-campaigns.view.js';
import { CancelCampaign } from './cancel-campaign.js';
import { CheckContacts } from './check-contacts.js';
import { ContentCheck, HttpContentCheck } from './content-check.js';
import { HoldCampaign } from './hold-campaign.js';
import { HoldRules } from './hold-rules.js';
import { MarketingAccounts } from './marketing-accounts.js';
import { OperateCampaign } from './operate-campaign.js';
import { OperatorCampaignsController } from './operator-campaigns.controller.js';
import { SendCampaign } from './send-campaign.js';
import { ValidateCampaign } from './validate-campaign.js';
import { WatchCampaign } from './watch-campaign.js';

@Module({
  imports: [CampaignsModule, SendingModule, CampaignMovesModule],
  controllers: [CampaignStatesController, OperatorCampaignsController],
  providers: [
    CampaignMachine,
    ValidateCampaign,
    WatchCampaign,
    BeginSending,
    CancelCampaign,
    CheckContacts,
    { provide: ContentCheck, useClass: HttpContentCheck },
    CampaignFacts,
    HoldRules,
    SendCampaign,
    HoldCampaign,
    OperateCampaign,
    MarketingAccounts,
    CampaignsView,
  ],
})
export class CampaignStatesModule {}
