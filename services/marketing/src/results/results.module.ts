import { Module } from '@nestjs/common';
import { SendingModule } from '../sending/sending.module.js';
import { FoldCounts } from './fold-counts.js';
import { OnBounceReported } from './on-bounce-reported.consumer.js';
import { OnComplaintReported } from './on-complaint-reported.consumer.js';
import { OnDeliveryAttempted } from './on-delivery-attempted.consumer.js';
import { OnMessageTracked } from './on-message-tracked.consumer.js';
import { OperatorRecipientsController } from './operator-recipients.controller.js';
import { RecordOutcomes } from './record-outcomes.js';
import { ResultsController } from './results.controller.js';

@Module({
  imports: [SendingModule],
  controllers: [
    ResultsController,
    OperatorRecipientsController,
    OnDeliveryAttempted,
    OnBounceReported,
    OnMessageTracked,
    OnComplaintReported,
  ],
  providers: [FoldCounts, RecordOutcomes],
})
export class ResultsModule {}
