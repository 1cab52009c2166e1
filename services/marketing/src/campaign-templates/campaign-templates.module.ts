import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DesignsModule } from '@postmesh/designs';
import { CampaignTemplate } from './campaign-template.js';
import { CampaignTemplateBlocks } from './campaign-template-blocks.js';
import { CampaignTemplateBlocksController } from './campaign-template-blocks.controller.js';
import { CampaignTemplatesController } from './campaign-templates.controller.js';
import { CampaignTemplatesRepository } from './campaign-templates.repository.js';
import { ChangeCampaignTemplate } from './change-campaign-template.js';
import { CreateCampaignTemplate, UpdateCampaignTemplate } from './manage-campaign-templates.js';
import { SimpleTemplatesController } from './simple-templates.controller.js';

/** Designs that campaigns copy. */
@Module({
  imports: [TypeOrmModule.forFeature([CampaignTemplate]), DesignsModule],
  controllers: [CampaignTemplatesController, CampaignTemplateBlocksController, SimpleTemplatesController],
  providers: [
    CampaignTemplatesRepository,
    CampaignTemplateBlocks,
    ChangeCampaignTemplate,
    CreateCampaignTemplate,
    UpdateCampaignTemplate,
  ],
  exports: [CampaignTemplatesRepository],
})
export class CampaignTemplatesModule {}
