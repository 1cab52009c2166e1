import { Module } from '@nestjs/common';
import { PauseCampaign } from './campaign-moves.js';
import { CampaignsOfAccount, CampaignsOfDomain } from './followed-campaigns.js';

const PROVIDERS = [PauseCampaign, CampaignsOfDomain, CampaignsOfAccount];

/** State changes for parts outside of the state machine; a separate module, since the machine imports those parts. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CampaignMovesModule {}
