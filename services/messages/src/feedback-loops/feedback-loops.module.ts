import { Module } from '@nestjs/common';
import { OperatorFeedbackController } from './operator-feedback.controller.js';

/** Complaints that reach operators by feedback loops. */
@Module({
  controllers: [OperatorFeedbackController],
})
export class FeedbackLoopsModule {}
