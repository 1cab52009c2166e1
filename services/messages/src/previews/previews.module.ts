import { Module } from '@nestjs/common';
import { MessageContentModule } from '@postmesh/message-content';
import { TemplatesModule } from '../templates/templates.module.js';
import { PreviewCampaign } from './preview-campaign.js';
import { PreviewMessage } from './preview-message.js';
import { PreviewTemplate } from './preview-template.js';
import { CampaignPreviewsController, TemplatePreviewsController } from './previews.controller.js';

/** Previews of templates and campaigns. */
@Module({
  imports: [MessageContentModule, TemplatesModule],
  controllers: [TemplatePreviewsController, CampaignPreviewsController],
  providers: [PreviewCampaign, PreviewMessage, PreviewTemplate],
})
export class PreviewsModule {}
