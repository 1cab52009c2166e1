import { Module } from '@nestjs/common';
import { ReadMessageModule } from '../read-message/read-message.module.js';
import { RetentionModule } from '../retention/retention.module.js';
import { CancelMessage } from './cancel-message.js';
import { Cancellations } from './cancellations.js';

/** Cancellation of messages that are not sent yet. */
@Module({
  imports: [ReadMessageModule, RetentionModule],
  providers: [CancelMessage, Cancellations],
  exports: [CancelMessage],
})
export class CancelMessageModule {}
