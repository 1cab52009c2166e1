import { Module } from '@nestjs/common';
import { AccountDirectory } from '@postmesh/accounts-contract';
import { CampaignFeeder } from './campaign-feeder.js';
import { CancelRecipients } from './cancel-recipients.js';
import { DailyLimit } from './daily-limit.js';
import { StartCampaign } from './start-campaign.js';

const PROVIDERS = [AccountDirectory, StartCampaign, CancelRecipients, CampaignFeeder, DailyLimit];

/** The parts of sending that other modules use. It imports none of theirs: parts that do are in the module of the batches. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class SendingModule {}
