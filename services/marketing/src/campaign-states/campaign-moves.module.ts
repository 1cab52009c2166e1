import { Module } from '@nestjs/common';
import { PauseCampaign } from './campaign-moves.js';
import { CampaignsOfAccount, CampaignsOfDomain } from './followed-campaigns.js';

const PROVIDERS = [PauseCampaign, CampaignsOfDomain, CampaignsOfAccount];

/** What parts beside the state machine ask of it; apart from it, since the machine asks those parts. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CampaignMovesModule {}
