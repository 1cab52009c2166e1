import { Module } from '@nestjs/common';
import { DesignsModule } from '@postmesh/designs';
import { DomainDirectory } from '@postmesh/domains-contract';
import { CampaignTemplatesModule } from '../campaign-templates/campaign-templates.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { CampaignBlocks } from './campaign-blocks.js';
import { CampaignBlocksController } from './campaign-blocks.controller.js';
import { CampaignChanges } from './campaign-changes.js';
import { CampaignSenders } from './campaign-senders.js';
import { CampaignTemplatePreviewsController } from './campaign-template-previews.controller.js';
import { CampaignsController } from './campaigns.controller.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { CreateCampaign } from './create-campaign.js';
import { DeleteCampaign } from './delete-campaign.js';
import { DuplicateCampaign } from './duplicate-campaign.js';
import { PreviewCampaign } from './preview-campaign.js';
import { ReadCampaigns } from './read-campaigns.js';
import { RecheckContents } from './recheck-contents.js';
import { SimpleCampaignsController } from './simple-campaigns.controller.js';
import { TestBudget } from './test-budget.js';
import { TestSend } from './test-send.js';
import { UpdateCampaign } from './update-campaign.js';

@Module({
  imports: [CampaignTemplatesModule, ContactsModule, DesignsModule],
  controllers: [
    CampaignsController,
    CampaignBlocksController,
    CampaignTemplatePreviewsController,
    SimpleCampaignsController,
  ],
  providers: [
    CampaignsRepository,
    CampaignBlocks,
    CampaignSenders,
    CampaignChanges,
    ReadCampaigns,
    PreviewCampaign,
    CreateCampaign,
    UpdateCampaign,
    DeleteCampaign,
    DuplicateCampaign,
    RecheckContents,
    TestBudget,
    TestSend,
    DomainDirectory,
  ],
  exports: [CampaignsRepository, CampaignSenders, CampaignChanges, ReadCampaigns, DomainDirectory],
})
export class CampaignsModule {}
