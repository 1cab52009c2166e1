import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module.js';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { AcceptCampaignSend } from './accept-campaign-send.js';
import { CampaignSendWriter } from './campaign-send-writer.js';
import { CampaignSendsController } from './campaign-sends.controller.js';

/** Mail of campaigns from the marketing service. */
@Module({
  imports: [AcceptModule, DomainChangesModule],
  controllers: [CampaignSendsController],
  providers: [AcceptCampaignSend, CampaignSendWriter],
})
export class CampaignSendsModule {}
