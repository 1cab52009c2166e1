import { Module } from '@nestjs/common';
import { SendingModule } from '../sending/sending.module.js';
import { FoldCounts } from './fold-counts.js';
import { CampaignFiguresController } from './campaign-figures.controller.js';
import { OnMessageChanged } from './on-message-changed.consumer.js';
import { OperatorRecipientsController } from './operator-recipients.controller.js';
import { RecordChanges } from './record-changes.js';
import { ResultsController } from './results.controller.js';

@Module({
  imports: [SendingModule],
  controllers: [ResultsController, CampaignFiguresController, OperatorRecipientsController, OnMessageChanged],
  providers: [FoldCounts, RecordChanges],
})
export class ResultsModule {}
