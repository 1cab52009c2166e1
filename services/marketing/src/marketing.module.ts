import { Module } from '@nestjs/common';
import { OnAccountChanged } from './account-changes/on-account-changed.consumer.js';
import { PurgeAccounts } from './account-changes/purge-accounts.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { ListsModule } from './lists/lists.module.js';
import { CampaignTemplatesModule } from './campaign-templates/campaign-templates.module.js';
import { CampaignsModule } from './campaigns/campaigns.module.js';
import { CampaignMovesModule } from './campaign-states/campaign-moves.module.js';
import { CampaignStatesModule } from './campaign-states/campaign-states.module.js';
import { DomainChangesModule } from './domain-changes/domain-changes.module.js';
import { BatchesModule } from './sending/batches.module.js';
import { SendingModule } from './sending/sending.module.js';
import { RecentChangesController } from './recent-changes/recent-changes.controller.js';
import { ResultsModule } from './results/results.module.js';
import { SegmentsModule } from './segments/segments.module.js';
import { SignUpsModule } from './sign-ups/sign-ups.module.js';
import { TrialsModule } from './trials/trials.module.js';
import { PreferencesModule } from './preferences/preferences.module.js';
import { ConsentsModule } from './consents/consents.module.js';
import { UnsubscribeModule } from './unsubscribe/unsubscribe.module.js';

@Module({
  imports: [
    ContactsModule,
    ListsModule,
    CampaignTemplatesModule,
    CampaignsModule,
    CampaignStatesModule,
    CampaignMovesModule,
    SendingModule,
    BatchesModule,
    ResultsModule,
    UnsubscribeModule,
    ConsentsModule,
    SegmentsModule,
    TrialsModule,
    SignUpsModule,
    PreferencesModule,
    DomainChangesModule,
  ],
  controllers: [OnAccountChanged, RecentChangesController],
  providers: [PurgeAccounts],
})
export class MarketingModule {}
