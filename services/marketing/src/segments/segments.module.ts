import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { CampaignAudiences } from './campaign-audiences.js';
import { CountSegment } from './count-segment.js';
import { OperatorSegmentsController } from './operator-segments.controller.js';
import { SegmentsController } from './segments.controller.js';
import { Segments } from './segments.js';

/** Saved filters over contacts, as an audience of campaigns. */
@Module({
  imports: [CampaignsModule],
  controllers: [SegmentsController, OperatorSegmentsController],
  providers: [Segments, CountSegment, CampaignAudiences],
})
export class SegmentsModule {}
