import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { CampaignMovesModule } from '../campaign-states/campaign-moves.module.js';
import { BatchAttempt } from './batch-attempt.js';
import { BatchQueue } from './batch-queue.js';
import { BatchRecorder } from './batch-recorder.js';
import { CampaignContents } from './campaign-contents.js';
import { HandOver } from './hand-over.js';
import { SendingModule } from './sending.module.js';
import { TakeRecipients } from './take-recipients.js';

/** The worker that hands campaigns over in batches. */
@Module({
  imports: [DatabaseClockModule, SendingModule, CampaignMovesModule],
  providers: [CampaignContents, HandOver, TakeRecipients, BatchAttempt, BatchRecorder, BatchQueue],
})
export class BatchesModule {}
