import { Module } from '@nestjs/common';
import { CampaignMovesModule } from '../campaign-states/campaign-moves.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { OnDomainChanged } from './on-domain-changed.consumer.js';

@Module({ imports: [CampaignsModule, CampaignMovesModule], controllers: [OnDomainChanged] })
export class DomainChangesModule {}
