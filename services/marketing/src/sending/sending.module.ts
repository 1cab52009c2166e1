import { Module } from '@nestjs/common';
import { AccountDirectory } from '@postmesh/sending-domains';
import { CampaignFeeder } from './campaign-feeder.js';
import { CancelRecipients } from './cancel-recipients.js';
import { DailyLimit } from './daily-limit.js';
import { StartCampaign } from './start-campaign.js';

const PROVIDERS = [AccountDirectory, StartCampaign, CancelRecipients, CampaignFeeder, DailyLimit];

/** What others need of sending. It needs nothing of theirs: what does stands in the module of the batches. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class SendingModule {}
