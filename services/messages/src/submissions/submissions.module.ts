import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module.js';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AcceptSubmission } from './accept-submission.js';
import { JudgeSender } from './judge-sender.js';
import { SubmissionsController } from './submissions.controller.js';

/** Mail that clients submit by SMTP. */
@Module({
  imports: [AcceptModule, DomainChangesModule, UsageModule],
  controllers: [SubmissionsController],
  providers: [AcceptSubmission, JudgeSender],
})
export class SubmissionsModule {}
