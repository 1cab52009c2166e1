import { Module } from '@nestjs/common';
import { OperatorFeedbackController } from './operator-feedback.controller.js';

/** Complaints by feedback loops, for operators. */
@Module({
  controllers: [OperatorFeedbackController],
})
export class FeedbackLoopsModule {}
